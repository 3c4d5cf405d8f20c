internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import HalcyonSystem

/// The report of a run: a JSON object a line for each file, written when the file is there or the image has failed.
///
/// A line is one call of the system, so the end of the process loses none that was begun. Between the naming of a file and
/// its line the process may end all the same: the next run then finds the file, and reports it.
final class ReportFile: Sendable {
    /// What an earlier report says.
    struct Earlier: Sendable {
        /// 64 bits of the images that are done, each with the name that a list gives it: of ten million, two are mistaken for
        /// each other with a probability below 10⁻⁵.
        fileprivate(set) var done: Set<UInt64> = []
        /// The images that failed, are cut short or have no file any more, by the same.
        fileprivate var failed: [UInt64: ListItem] = [:]

        /// The images that are not done, in their order; each once, of however many files.
        var failedItems: [ListItem] {
            var seen: Set<ListItem.Key> = []
            return failed.values.sorted { $0.index < $1.index }.filter { seen.insert($0.key).inserted }
        }

        func isDone(_ request: String, name: String?) -> Bool {
            ReportFile.number(request, name).map(done.contains) ?? false
        }
    }

    let earlier: Earlier
    private let path: String
    private let descriptor: Int32
    private let state = Lock(State())

    private struct State {
        /// The first error of writing.
        var failure: Int32?
        /// Whether the file still has an earlier report, whose place this one takes.
        var hasEarlier = false
    }

    /// Opens a report; blocks.
    ///
    /// - Parameters:
    ///   - resumes: Whether an earlier report is read, and continued. Otherwise it is there until the first line, or the
    ///     end of a run without failures.
    ///   - target: Where results go: only that is done whose file is there.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``, also where the earlier file is no report, and for a pipe
    ///   without a reader.
    init(path: String, resumes: Bool, target: OutputWriter.Target) throws(ImageError) {
        self.path = path
        var status = stat()
        let kind = stat(path, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG
        // Reading a pipe would wait for its writer.
        guard !resumes || kind == S_IFREG else { throw Self.failure(path, "it is no file, and has no earlier report") }
        let isPipe = kind == S_IFIFO
        // A pipe is opened for writing alone, which tells when nobody reads it any more, and without waiting for a reader.
        let flags = isPipe ? O_WRONLY | O_NONBLOCK : O_RDWR | O_CREAT
        descriptor = open(path, flags | O_CLOEXEC | O_APPEND, 0o666)
        guard descriptor >= 0 else {
            let code = errno
            throw isPipe && code == ENXIO
                ? Self.failure(path, "it is a pipe that no program reads")
                : FileOutput.failure(path, "the report", code)
        }
        guard kind == S_IFREG else {
            earlier = Earlier()
            return
        }
        var (reading, rest) = (Reading(target: target), [UInt8]())
        var code = Self.read(descriptor, into: &reading, &rest, isWhole: resumes)
        if code == 0, reading.isReport, resumes { code = Self.end(rest, of: descriptor, &reading) }
        guard code == 0 else {
            close(descriptor)
            throw FileOutput.failure(path, "the report", code)
        }
        guard reading.isReport || reading.isEmpty else {
            close(descriptor)
            throw Self.failure(path, "it has no line of a report, and is left as it is")
        }
        earlier = resumes ? reading.earlier : Earlier()
        state.withLock { $0.hasEarlier = !resumes }
    }

    deinit { close(descriptor) }

    private static func failure(_ path: String, _ reason: String) -> ImageError {
        ImageError(stage: .store, reason: .file(path: path, reason: reason), source: "the report")
    }

    /// Adds a line.
    func write(_ result: GetResult) {
        append(JSONLine.text(result.reportRecord) + "\n")
    }

    /// Ends the report of a run without failures, which may have no line.
    func end() {
        state.withLock { removeEarlier(&$0) }
    }

    private func removeEarlier(_ state: inout State) {
        guard state.hasEarlier else { return }
        state.hasEarlier = false
        ftruncate(descriptor, 0)
    }

    /// Whether every line could be written; the first failure was warned of.
    var isComplete: Bool { state.withLock { $0.failure == nil } }

    private func append(_ text: String) {
        // Lines of several threads may come at the same time.
        let code = state.withLock { state -> Int32? in
            removeEarlier(&state)
            var text = text
            let (code, count) = text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
            guard let code else { return nil }
            // A pipe keeps its half line.
            _ = Self.cut(count, of: descriptor)
            guard state.failure == nil else { return nil }
            state.failure = code
            return code
        }
        if let code { Terminal.warn("\(FileOutput.failure(path, "the report", code))") }
    }

    /// Ends the last line, if it is one, or takes it off, as it was being written when the run was killed; returns the error of
    /// that, or 0.
    private static func end(_ rest: [UInt8], of descriptor: Int32, _ reading: inout Reading) -> Int32 {
        guard !rest.isEmpty else { return 0 }
        guard let line = try? JSONDecoder().decode(GetResult.Record.self, from: Data(rest)) else {
            return cut(rest.count, of: descriptor)
        }
        reading.add(line)
        return Glibc.write(descriptor, "\n", 1) == 1 ? 0 : errno
    }

    /// Takes bytes off the end of a file, and returns the error of that, or 0.
    private static func cut(_ byteCount: Int, of descriptor: Int32) -> Int32 {
        guard byteCount > 0 else { return 0 }
        let end = lseek(descriptor, 0, SEEK_END)
        return end >= byteCount && ftruncate(descriptor, end - byteCount) == 0 ? 0 : errno
    }

    /// Writes bytes, and returns how many, with the error that ended that.
    private func write(_ bytes: UnsafeRawBufferPointer) -> (code: Int32?, count: Int) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, FileCalls.mayRepeat(on: descriptor, for: POLLOUT) { continue }
            guard count > 0 else { return (errno, bytes.count - rest.count) }
            rest = rest.dropFirst(count)
        }
        return (nil, bytes.count)
    }

    private struct Reading {
        private let needsFiles: Bool
        /// The path of the file or folder of results; `nil` where there is none.
        private let place: String?
        var earlier = Earlier()
        var isEmpty = true
        /// Whether a line is one of a report.
        var isReport = false

        init(target: OutputWriter.Target) {
            needsFiles = target != .nowhere
            switch target {
            case .file(let path), .folder(let path): place = FilePath.absolute(path)
            case .nowhere, .standardOutput: place = nil
            }
        }

        mutating func add(_ line: GetResult.Record) {
            // Lines of `--json` have no request.
            guard let request = line.request else { return }
            isReport = true
            guard let number = ReportFile.number(request, line.name) else { return }
            if isDone(line) {
                earlier.done.insert(number)
                earlier.failed[number] = nil
            } else {
                earlier.done.remove(number)
                earlier.failed[number] = item(line)
            }
        }

        private func item(_ line: GetResult.Record) -> ListItem {
            let argument = SourceArgument(text: line.url)
            let problem: String? =
                if argument.lacksPassword {
                    "the report has the URL without its password; give the URL, or the list that it came from"
                } else if !argument.isLasting {
                    "the standard input of that run cannot be read once more; give “-” to read that of this run"
                } else {
                    nil
                }
            var item = ListItem(index: line.index, argument: argument, name: line.name, problem: problem)
            item.isReported = problem == nil
            return item
        }

        private func isDone(_ line: GetResult.Record) -> Bool {
            line.status != "failed" && line.partial != true && isThere(line)
        }

        /// Returns whether a file of the report is there, and where this run would write it: one in another folder is none of
        /// its own. It must be as long as it was, and not be known as another request's; its bytes are not compared. An image
        /// that is a file itself must be as it was then.
        private func isThere(_ line: GetResult.Record) -> Bool {
            let source = Self.path(of: line.url)
            guard needsFiles else {
                return source.map { FileOrigin.isUnchanged($0, since: line.began ?? 0) } ?? true
            }
            guard let output = line.output, let place else { return false }
            let path = FilePath.absolute(output)
            guard place.endsInSlash ? path.utf8.starts(with: place.utf8) : path.utf8.elementsEqual(place.utf8) else {
                return false
            }
            // The file of a standard input tells the bytes, too.
            let request = line.url == SourceArgument.standardInput ? nil : line.request
            guard let file = FileOrigin.reported(at: path, of: request, byteCount: line.outputBytes) else {
                return false
            }
            return source.map { file.isMade(ofFileAt: $0) } ?? true
        }

        /// Returns the path of an image that is a file. Most are of the web, and a report may have millions.
        private static func path(of url: String) -> String? {
            guard url != SourceArgument.standardInput,
                !["http://", "https://"].contains(where: { url.utf8.starts(with: $0.utf8) })
            else { return nil }
            return SourceArgument(text: url).path
        }
    }

    /// More bytes than any line has: the argument with all that is told of it.
    private static let longestLine = ListReader.longestLine + 1 << 20

    /// Reads the lines; one that cannot be read, such as the last of a run that was killed, is left out.
    ///
    /// - Parameters:
    ///   - rest: Becomes the bytes behind the last whole line.
    ///   - isWhole: `false` to read no further than to the first line of a report, or to the end of ``longestLine``.
    private static func read(
        _ descriptor: Int32,
        into reading: inout Reading,
        _ rest: inout [UInt8],
        isWhole: Bool
    ) -> Int32 {
        let decoder = JSONDecoder()
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : 0 }
            reading.isEmpty = false
            var (start, searched) = (0, rest.count)
            rest += buffer[..<count]
            while let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = try? decoder.decode(GetResult.Record.self, from: Data(rest[start..<end]))
                if let line { reading.add(line) }
                if reading.isReport, !isWhole { return 0 }
                (start, searched) = (end + 1, end + 1)
            }
            rest.removeFirst(start)
            if !isWhole, rest.count > longestLine { return 0 }
        }
    }

    /// Returns a number for a request and the name that a list gives its image, in this process.
    fileprivate static func number(_ request: String, _ name: String?) -> UInt64? {
        guard let number = UInt64(request.prefix(16), radix: 16), let name else {
            return UInt64(request.prefix(16), radix: 16)
        }
        var hasher = Hasher()
        hasher.combine(number)
        hasher.combine(Array(name.utf8))
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
