import Glibc
import HalcyonSystem
import Testing

@testable import HalcyonIsolation
@testable import IsolationTrial

/// A pool whose workers are `IsolationTrial`, with a clock that the test moves.
final class Trial: Sendable {
    let pool: WorkerPool
    /// Nanoseconds.
    let time = Lock<Int64>(1_000_000_000)
    /// The pauses before workers were started, in nanoseconds, which are over at once.
    let pauses = Lock<[Int64]>([])

    init(_ change: (inout WorkerPool.Configuration) -> Void = { _ in }) throws {
        let path = try Self.path()
        var configuration = WorkerPool.Configuration()
        configuration.isStrict = true
        configuration.program = { path }
        configuration.now = { [time] in time.withLock { $0 } }
        configuration.pause = { [pauses, time] pause in
            pauses.withLock { $0.append(pause) }
            time.withLock { $0 += pause }
        }
        change(&configuration)
        pool = WorkerPool(configuration)
    }

    func request(_ work: TrialWork, kind: WorkerKind = .stills, parameters: String = "") -> WorkerRequest {
        WorkerRequest(
            kind: kind,
            operation: work.rawValue,
            parameters: Array(parameters.utf8),
            format: "PNG",
            file: "photo.png"
        )
    }

    /// Has work done, and returns the pixels.
    func perform(_ work: TrialWork, input: [UInt8] = [0], size: (Int, Int)? = nil) throws -> [UInt8] {
        let request = request(work, parameters: size.map { "\($0.0) \($0.1)" } ?? "")
        return try input.withUnsafeBytes { bytes in
            try pool.perform(request, .bytes(bytes)) { Array($0.pixels) }
        }
    }

    /// Has work done, and returns the text of the answer.
    func answer(
        _ request: WorkerRequest,
        input: [UInt8] = [0],
        isCancelled: () -> Bool = { false }
    ) throws -> String {
        try input.withUnsafeBytes { bytes in
            try pool.perform(request, .bytes(bytes), isCancelled: isCancelled) {
                String(decoding: $0.result.payload, as: UTF8.self)
            }
        }
    }

    /// Has work done that ends the worker, and returns the cause.
    func cause(_ request: WorkerRequest, input: [UInt8] = [0]) throws -> WorkerLoss.Cause? {
        do {
            _ = try answer(request, input: input)
            return nil
        } catch IsolationError.workerLost(let loss) {
            #expect(loss.format == "PNG")
            #expect(loss.file == "photo.png")
            return loss.cause
        }
    }

    func advance(by duration: Duration) {
        time.withLock { $0 += duration.nanoseconds }
    }

    /// The program beside that of the tests.
    static func path(of name: String = "IsolationTrial") throws -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/\(name)"
        try #require(access(path, X_OK) == 0, "\(path) is not there")
        return path
    }
}
