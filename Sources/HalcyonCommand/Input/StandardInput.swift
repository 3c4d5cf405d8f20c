internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import HalcyonSystem

/// The image that is read from a pipe, named "-".
enum StandardInput {
    /// The number of bytes that is accepted: as many as from a server.
    private static let limit = TransferLimits.standard.bodyBytes

    /// What was read: the input comes once, and an image may be made in several sizes and rounds.
    private static let reading = Lock<Task<Data, any Error>?>(nil)

    /// Returns what the standard input has to its end.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/load``.
    static func data() async throws -> Data {
        let task = reading.withLock { reading in
            let task = reading ?? Task { try await readAll() }
            reading = task
            return task
        }
        return try await task.value
    }

    private static func readAll() async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            // It blocks for as long as the writer takes, so it must not take a thread of Swift's own pool.
            DispatchQueue(label: "halcyon.input").async {
                continuation.resume(with: Result { try read() })
            }
        }
    }

    private static func read() throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, FileCalls.mayRepeat(on: STDIN_FILENO, for: POLLIN) { continue }
            guard count >= 0 else { throw failure(String(cString: strerror(errno))) }
            guard count > 0 else { return data }
            guard data.count + count <= limit else { throw failure("more than the \(limit) bytes allowed") }
            data.append(contentsOf: buffer[..<count])
        }
    }

    private static func failure(_ reason: String) -> ImageError {
        ImageError(stage: .load, reason: .file(path: "-", reason: reason), source: "the standard input")
    }
}

extension SourceArgument {
    /// Returns ``source()``, with "-" for the standard input.
    func sourceOrStandardInput() async throws -> Source {
        // Its bytes tell it from what was read there at another time.
        text == Self.standardInput ? .data(try await StandardInput.data()) : try source()
    }
}
