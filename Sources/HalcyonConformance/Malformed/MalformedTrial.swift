internal import FoundationEssentials
internal import Glibc
internal import HalcyonCodecs
internal import HalcyonIsolation
internal import HalcyonRaster
internal import HalcyonSystem

/// Has confined processes decode files, and counts the answers.
final class MalformedTrial: Sendable {
    struct File {
        let number: Int
        let name: String
        let data: Data
    }

    private struct State {
        var counts: [String: Int] = [:]
        var lines: [String] = []
        var longest = (milliseconds: 0, name: "")
        var hasFailed = false
    }

    private static let scopeCount = 64
    private static let frameCount = 3
    private static let side = 200

    private let pool: WorkerPool
    private let state = Lock(State())

    /// - Parameter configuration: That of the workers. Default: the defaults.
    init(configuration: WorkerPool.Configuration = .init()) {
        var configuration = configuration
        // A call that no filter lists is something to know of.
        configuration.isStrict = true
        pool = WorkerPool(configuration)
    }

    /// What is to be looked at.
    var lines: [String] { state.withLock { $0.lines } }

    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// The number of answers of each kind, and the longest one.
    var totals: [String] {
        state.withLock { state in
            state.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
                + ["The longest: \(state.longest.milliseconds) ms, \(state.longest.name)"]
        }
    }

    /// Reads the header and the metadata of a file, decodes its image, and its first frames.
    ///
    /// - Parameters:
    ///   - timeout: Milliseconds after which it has failed.
    ///   - keep: Called if the file ended its process, with a name of the cause.
    func run(_ file: File, timeout: Int, keep: (String) -> Void) {
        let isolation = WorkerIsolation(
            .required([.process, .systemCalls]),
            scope: "\(file.number % Self.scopeCount)",
            file: file.name,
            pool: pool
        )
        let codecs = ImageCodecs.standard.isolated(isolation)
        let start = Self.now
        answer("headers", file, keep) { _ = try codecs.info(of: file.data) }
        answer("metadata", file, keep) { _ = try codecs.metadata(of: file.data) }
        answer("images", file, keep) {
            _ = try codecs.decode(file.data, options: DecodeOptions(targetSize: PixelSize(Self.side, Self.side)))
        }
        answer("animations", file, keep) {
            let frames = try codecs.frames(of: file.data)
            for index in 0..<min(Self.frameCount, frames.frameCount) { _ = try frames.frame(at: index) }
        }
        let milliseconds = Self.now - start
        state.withLock { state in
            if milliseconds > state.longest.milliseconds { state.longest = (milliseconds, file.name) }
        }
        if milliseconds > timeout { fail(file, "it took \(milliseconds) ms") }
    }

    private func answer(_ form: String, _ file: File, _ keep: (String) -> Void, _ body: () throws -> Void) {
        do {
            try body()
            state.withLock { $0.counts["\(form)", default: 0] += 1 }
        } catch CodecError.isolation(let error) {
            note(error, form, file, keep)
        } catch is CodecError {
            state.withLock { $0.counts["\(form): refused", default: 0] += 1 }
        } catch {
            fail(file, "\(form): \(error)")
        }
    }

    private func note(_ error: IsolationError, _ form: String, _ file: File, _ keep: (String) -> Void) {
        switch error {
        case .workerLost(let loss):
            state.withLock { state in
                state.counts["\(form): the process ended", default: 0] += 1
                state.lines.append("LOST \(form): \(loss)")
            }
            keep(form)
        case .refused:
            state.withLock { $0.counts["\(form): ended a process before", default: 0] += 1 }
        case .outputTooLarge:
            state.withLock { $0.counts["\(form): refused", default: 0] += 1 }
        case .unavailable, .crashing, .notReached, .cannotShare, .noDecoder:
            fail(file, "\(form): \(error)")
        }
    }

    private func fail(_ file: File, _ reason: String) {
        state.withLock { state in
            state.hasFailed = true
            state.lines.append("FAIL \(file.name): \(reason)")
        }
    }

    // MARK: The end

    /// Ends the processes.
    func finish() {
        pool.endAll()
    }

    /// Milliseconds.
    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }
}
