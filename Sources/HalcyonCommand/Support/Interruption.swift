internal import ArgumentParser
internal import Dispatch
internal import Glibc
internal import HalcyonConcurrency

/// Ends a command in order when a person presses Ctrl-C or the system asks for its end.
enum Interruption {
    /// How long the work may take to end before the process ends without it, in milliseconds.
    private static let patience = 1500

    /// Runs `body`; SIGINT and SIGTERM cancel it, and a second one ends the process at once.
    ///
    /// - Throws: `ExitCode` of 128 and the signal's number, as shells count, once a cancelled `body` has ended.
    static func guarding(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let received = Lock<Int32?>(nil)
        let task = Task { try await body() }
        let sources = [SIGINT, SIGTERM].map { number in
            // The source below is told all the same; without this the process would end before that.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                let isFirst = received.withLock { first in
                    defer { first = first ?? number }
                    return first == nil
                }
                guard isFirst else { end(number) }
                task.cancel()
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(patience)) { end(number) }
            }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        let result = await task.result
        if let number = received.withLock({ $0 }) { throw ExitCode(128 + number) }
        try result.get()
    }

    private static func end(_ number: Int32) -> Never {
        _exit(128 + number)
    }
}
