internal import CIsolation
internal import Dispatch
internal import Glibc
internal import HalcyonIsolation

/// What a whole program does around its workers, which a test of many cannot do in its own process.
enum TrialProcesses {
    /// Forks after the first piece of work, and has both processes ask for the worker's number again.
    ///
    /// - Returns: Whether the parent has kept its worker, and the child has one of its own: `kept own`.
    static func fork() -> String {
        let pool = WorkerPool()
        defer { pool.endAll() }
        guard let first = worker(pool) else { return "no worker" }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return "no pipe" }
        let child = halcyon_fork()
        if child == 0 {
            var answer: Int32 = worker(pool) ?? -1
            pool.endAll()
            write(ends[1], &answer, 4)
            _exit(0)
        }
        var own: Int32 = -1
        let count = read(ends[0], &own, 4)
        waitpid(child, nil, 0)
        let second = worker(pool)
        return "\(second == first ? "kept" : "lost") \(count == 4 && own > 0 && own != first ? "own" : "shared")"
    }

    /// Asks for a second worker while no descriptor is left for it.
    ///
    /// - Returns: Whether the first has gone on, and whether the second was refused: `on refused`.
    static func crowd() -> String {
        let pool = WorkerPool()
        defer { pool.endAll() }
        guard worker(pool) != nil else { return "no worker" }
        // The runtime opens what it needs for timers, and ends the process where it cannot.
        let hasTimers = DispatchSemaphore(value: 0)
        Task {
            try? await Task.sleep(for: .milliseconds(1))
            hasTimers.signal()
        }
        hasTimers.wait()
        let busy = WorkerRequest(kind: .stills, operation: TrialWork.workUntilCancelled.rawValue, format: "PNG")
        var second = "none"
        var lookCount = 0
        do {
            try pool.perform(
                busy,
                .bytes(nothing),
                isCancelled: {
                    lookCount += 1
                    // The first look comes before the worker has the request.
                    if lookCount == 2 { second = answerWithoutDescriptors(pool) }
                    return lookCount > 1
                },
                receive: { _ in }
            )
            return "answered \(second)"
        } catch is CancellationError {
            return "on \(second)"
        } catch {
            return "\(error) \(second)"
        }
    }

    /// Asks for the limits of a worker's stack where the program's own has none.
    static func stack() -> String {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit)
        var configuration = WorkerPool.Configuration()
        configuration.steps = .process
        let pool = WorkerPool(configuration)
        defer { pool.endAll() }
        let request = WorkerRequest(kind: .stills, operation: TrialWork.stackLimits.rawValue, format: "PNG")
        let answer = try? pool.perform(request, .bytes(nothing)) { String(decoding: $0.result.payload, as: UTF8.self) }
        return answer ?? "no worker"
    }

    /// Asks for images where files may have 2 MB at the most.
    ///
    /// - Returns: What became of a small one, of one that takes more, and of a small one again: `painted refused painted`.
    static func sizes() -> String {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        limit.rlim_cur = 2 << 20
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        let pool = WorkerPool()
        defer { pool.endAll() }
        return ["10 10", "1000 1000", "10 10"].map { size in
            var request = WorkerRequest(kind: .stills, operation: TrialWork.paint.rawValue, format: "PNG")
            request.parameters = Array(size.utf8)
            do {
                return try pool.perform(request, .bytes(nothing)) { _ in "painted" }
            } catch IsolationError.cannotShare {
                return "refused"
            } catch {
                return "\(error)"
            }
        }.joined(separator: " ")
    }

    private static var nothing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    /// Asks with three descriptors left: those of the socket's ends and of the shared byte.
    private static func answerWithoutDescriptors(_ pool: WorkerPool) -> String {
        var whole = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &whole)
        defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &whole) }
        var free = 0
        var highest = 0
        for descriptor in 0..<Int32(1_024) where fcntl(descriptor, F_GETFD) < 0 {
            free += 1
            highest = Int(descriptor)
            if free == 3 { break }
        }
        var limit = rlimit(rlim_cur: rlim_t(highest + 1), rlim_max: whole.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let request = WorkerRequest(kind: .stills, operation: TrialWork.identify.rawValue, format: "PNG")
        do {
            try pool.perform(request, .bytes(nothing)) { _ in }
            return "answered"
        } catch IsolationError.unavailable {
            return "refused"
        } catch {
            return "\(error)"
        }
    }

    private static func worker(_ pool: WorkerPool) -> Int32? {
        let request = WorkerRequest(kind: .stills, operation: TrialWork.identify.rawValue, format: "PNG")
        return try? pool.perform(request, .bytes(nothing)) { response in
            Int32(String(decoding: response.result.payload, as: UTF8.self)) ?? -1
        }
    }
}
