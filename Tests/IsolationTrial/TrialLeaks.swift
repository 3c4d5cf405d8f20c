internal import Glibc
internal import HalcyonIsolation

/// Counts what is left when a pool has gone.
struct TrialLeaks {
    let count: Int
    /// Work that ends well, work that fails, and work that ends the worker.
    private static let works: [TrialWork] = [
        .paint, .echo, .fail, .abort, .paint, .answerHugeImage, .answerWithDescriptor, .paint, .connect, .wait,
        .openFile,
    ]

    /// Returns `descriptors MORE children COUNT answered COUNT`.
    func run() -> String {
        // The runtime opens what it needs for timers once.
        _ = work(count: Self.works.count)
        let before = Self.descriptors()
        let answered = work(count: count)
        return "descriptors \(Self.descriptors() - before) children \(Self.children()) answered \(answered)"
    }

    private func work(count: Int) -> Int {
        var configuration = WorkerPool.Configuration()
        configuration.pause = { _ in }
        let pool = WorkerPool(configuration)
        defer { pool.endAll() }
        var answered = 0
        for index in 0..<count {
            let work = Self.works[index % Self.works.count]
            var request = WorkerRequest(kind: .stills, operation: work.rawValue, format: "PNG")
            if work == .paint { request.parameters = Array("\(100 + index) 2000".utf8) }
            request.timeLimit = work == .wait ? .milliseconds(5) : .seconds(60)
            withUnsafeBytes(of: index) { input in
                do {
                    try pool.perform(request, .bytes(input)) { _ in }
                } catch {
                    // Counted as well: an error is an answer.
                }
                answered += 1
            }
        }
        return answered
    }

    private static func descriptors() -> Int {
        (0..<1_024).count { fcntl(Int32($0), F_GETFD) >= 0 }
    }

    /// Child processes, ended ones included; 0 without any.
    private static func children() -> Int {
        var count = 0
        while waitpid(-1, nil, WNOHANG) >= 0 && count < 100 { count += 1 }
        return count
    }
}
