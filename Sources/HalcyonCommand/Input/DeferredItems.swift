internal import FoundationEssentials
internal import Glibc
internal import Halcyon

/// Images that are left for last, in their order. A list may have millions of one host, so all but the last are kept in a
/// file without a name; where that takes no more, such as on a full disk, memory has to do.
struct DeferredItems: ~Copyable {
    /// The images that are written, and read, at a time.
    private static let blockCount = 1_000

    private let makesFile: () -> UnsafeMutablePointer<FILE>?
    private var file: UnsafeMutablePointer<FILE>?
    /// Where the file has images that were not read yet.
    private var blocks: [Range<Int>] = []
    private var firstBlock = 0
    /// The images behind those in the file.
    private var memory: [ListItem] = []
    private var takesMore = true

    /// - Parameter makesFile: Opens an empty file for writing and reading. Default: `tmpfile`.
    init(makesFile: @escaping () -> UnsafeMutablePointer<FILE>? = { tmpfile() }) {
        self.makesFile = makesFile
    }

    deinit {
        if let file { fclose(file) }
    }

    /// A Boolean value that indicates whether ``next()`` has returned all.
    var isEmpty: Bool { firstBlock >= blocks.count && memory.isEmpty }

    /// Adds an image; after the first ``next()``, none is added any more.
    mutating func append(_ item: ListItem) {
        memory.append(item)
        if memory.count >= Self.blockCount, takesMore { takesMore = store() }
    }

    /// Removes and returns some of the images; none at the end.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/load`` if they cannot be read any more.
    mutating func next() throws -> [ListItem] {
        guard firstBlock < blocks.count else {
            defer { memory = [] }
            return memory
        }
        defer { firstBlock += 1 }
        return try read(blocks[firstBlock])
    }

    private struct Record: Codable {
        let index: Int
        let text: String
        let name: String?
        let problem: String?
        let isReported: Bool
        let mayBePlain: Bool

        init(_ item: ListItem) {
            index = item.index
            text = item.argument.text
            name = item.name
            problem = item.problem
            isReported = item.isReported
            mayBePlain = item.mayBePlain
        }

        var item: ListItem {
            var item = ListItem(index: index, argument: SourceArgument(text: text), name: name, problem: problem)
            item.isReported = isReported
            item.mayBePlain = mayBePlain
            return item
        }
    }

    /// Moves the images in memory to the file. If it fails they stay, and the part that was written is no block.
    private mutating func store() -> Bool {
        if file == nil { file = makesFile() }
        guard let file, let block = try? JSONEncoder().encode(memory.map(Record.init)) else { return false }
        let start = blocks.last?.upperBound ?? 0
        let isWritten = block.withUnsafeBytes { bytes in
            var count = 0
            while count < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
                let written = pwrite(fileno(file), rest.baseAddress, rest.count, start + count)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { return false }
                count += written
            }
            return true
        }
        guard isWritten else { return false }
        blocks.append(start..<start + block.count)
        memory = []
        return true
    }

    private func read(_ block: Range<Int>) throws -> [ListItem] {
        var bytes = [UInt8](repeating: 0, count: block.count)
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes { bytes in
                let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
                return pread(file.map(fileno) ?? -1, rest.baseAddress, rest.count, block.lowerBound + count)
            }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { throw failure(read < 0 ? String(cString: strerror(errno)) : "it was cut short") }
            count += read
        }
        do {
            return try JSONDecoder().decode([Record].self, from: Data(bytes)).map(\.item)
        } catch {
            throw failure("it was changed")
        }
    }

    private func failure(_ reason: String) -> ImageError {
        ImageError(
            stage: .load,
            reason: .file(path: "the temporary file", reason: reason),
            source: "the images that were left for last"
        )
    }
}
