internal import Glibc

/// Has lines checked by several processes at once. A line that crashes its process, or keeps it too long, has that as
/// its outcome, and a new process goes on with the next.
struct CheckingPool {
    enum Outcome: Hashable {
        case answer(String)
        case crash(String)
        case timeout
    }

    let processCount: Int
    /// Seconds for a line, the start of its process included.
    let timeout: Double
    /// Starts a process.
    let launch: () throws -> CheckingProcess

    private struct Worker {
        var process: CheckingProcess
        var line: Int
        var deadline: Double
    }

    /// Checks all lines; outcomes come as they are known, each with the number of its line.
    func run(_ lines: [String], _ report: (Int, Outcome) -> Void) throws {
        var remaining = lines.indices.makeIterator()
        var workers: [Worker] = []
        func assign(_ process: CheckingProcess?) throws {
            guard let line = remaining.next() else { return }
            let process = try process ?? launch()
            workers.append(Worker(process: process, line: line, deadline: now() + timeout))
            process.send(lines[line])
        }
        for _ in 0..<max(1, processCount) { try assign(nil) }
        while !workers.isEmpty {
            let readable = wait(for: workers)
            for (index, worker) in workers.enumerated().reversed() {
                let event = readable.contains(index) ? worker.process.receive() : .nothing
                switch event {
                case .answer(let answer):
                    workers.remove(at: index)
                    report(worker.line, .answer(answer))
                    try assign(worker.process)
                case .ended(let reason):
                    workers.remove(at: index)
                    report(worker.line, .crash(reason))
                    try assign(nil)
                case .nothing where now() >= worker.deadline:
                    workers.remove(at: index)
                    worker.process.end()
                    report(worker.line, .timeout)
                    try assign(nil)
                case .nothing:
                    break
                }
            }
        }
    }

    /// Waits until a process says something or has had its time.
    private func wait(for workers: [Worker]) -> Set<Int> {
        var descriptors = workers.map { pollfd(fd: $0.process.descriptor, events: Int16(POLLIN), revents: 0) }
        let rest = (workers.map(\.deadline).min() ?? 0) - now()
        let count = poll(&descriptors, nfds_t(descriptors.count), Int32(max(0, min(rest * 1_000 + 1, 60_000))))
        guard count > 0 else { return [] }
        return Set(descriptors.indices.filter { descriptors[$0].revents != 0 })
    }

    /// Seconds of a clock that is never set.
    private func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
