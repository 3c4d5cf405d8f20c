internal import Dispatch
internal import Glibc
internal import Halcyon
internal import HalcyonSystem

/// Reads a list of images from a file, a pipe or the standard input, a piece at a time, so that a list of millions takes no
/// more memory than a short one.
final class ListReader: Sendable {
    /// More bytes than any line has, but for long `data:` URLs.
    static let longestLine = 64 << 20
    private static let pieceSize = 64 << 10

    private struct State {
        var descriptor: Int32?
        /// The beginning of a line whose end was not read yet.
        var rest: [UInt8] = []
        var nextIndex = 0
        var isEnded = false
        var waiter: CheckedContinuation<[ListItem], any Error>?
        var isCancelled = false
    }

    /// The path, "-" for the standard input.
    let path: String
    private let state = Lock(State())
    // Opening and reading a pipe takes as long as its writer does, so they must not take a thread of Swift's own pool.
    private let queue = DispatchQueue(label: "halcyon.list")

    init(path: String) {
        self.path = path
    }

    deinit {
        if let descriptor = state.withLock({ $0.descriptor }), descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// Returns the next images; none at the end. It is called by one task at a time. Cancelling the task ends the wait at
    /// once.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/load``, `CancellationError`.
    func next() async throws -> [ListItem] {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if !state.isCancelled { state.waiter = continuation }
                    return state.isCancelled
                }
                guard !isCancelled else { return continuation.resume(throwing: CancellationError()) }
                queue.async { [self] in end(with: Result<[ListItem], any Error> { try read() }) }
            }
        } onCancel: {
            state.withLock { $0.isCancelled = true }
            end(with: .failure(CancellationError()))
        }
    }

    /// Whether all has been read, as far as that can be told without waiting; the last line may still be returned.
    var isAtEnd: Bool {
        guard let descriptor = state.withLock({ $0.descriptor }) else { return false }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        if status.st_mode & S_IFMT == S_IFREG { return lseek(descriptor, 0, SEEK_CUR) >= status.st_size }
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&ready, 1, 0) == 1 && Int32(ready.revents) & (POLLHUP | POLLIN) == POLLHUP
    }

    /// Returns the number of images in a regular file; `nil` for anything else, which can be read only once. Blocks.
    static func count(_ path: String) -> Int? {
        var status = stat()
        guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let reader = ListReader(path: path)
        var count = 0
        while let items = try? reader.read(), !items.isEmpty { count += items.count }
        return count
    }

    private func end(with result: Result<[ListItem], any Error>) {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(with: result)
    }

    /// Reads until there is an item, or the end.
    private func read() throws -> [ListItem] {
        var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            let descriptor = try opened()
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, FileCalls.mayRepeat(on: descriptor, for: POLLIN) { continue }
            guard count >= 0 else { throw failure(errno) }
            let found = try state.withLock { state in
                try items(in: buffer[..<max(0, count)], isEnd: count == 0, &state)
            }
            if !found.isEmpty || count == 0 { return found }
        }
    }

    private func opened() throws -> Int32 {
        if let descriptor = state.withLock({ $0.descriptor }) { return descriptor }
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        state.withLock { $0.descriptor = descriptor }
        return descriptor
    }

    private func items(in bytes: ArraySlice<UInt8>, isEnd: Bool, _ state: inout State) throws -> [ListItem] {
        var items: [ListItem] = []
        func append(_ line: ArraySlice<UInt8>) {
            // A byte order mark at the beginning of the list.
            let isMarked = state.nextIndex == 0 && line.starts(with: [0xEF, 0xBB, 0xBF])
            guard var item = ListItem(line: isMarked ? line.dropFirst(3) : line, index: state.nextIndex) else { return }
            if path == "-", !item.argument.isLasting { item.problem = "the standard input has the list, and no image" }
            state.nextIndex += 1
            items.append(item)
        }
        var rest = bytes
        // Blank lines are nothing, so that both bytes of a CRLF may end one.
        while let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            if state.rest.isEmpty {
                append(rest[..<end])
            } else {
                append((state.rest + rest[..<end])[...])
                state.rest = []
            }
            rest = rest[(end + 1)...]
        }
        guard state.rest.count + rest.count <= Self.longestLine else {
            throw ImageError(
                stage: .load,
                reason: .file(path: path, reason: "a line has more than \(Self.longestLine) bytes"),
                source: "the list"
            )
        }
        state.rest += rest
        if isEnd, !state.rest.isEmpty {
            append(state.rest[...])
            state.rest = []
        }
        return items
    }

    private func failure(_ code: Int32) -> ImageError {
        ImageError(
            stage: .load,
            reason: .file(path: path == "-" ? "the standard input" : path, reason: String(cString: strerror(code))),
            source: "the list"
        )
    }
}
