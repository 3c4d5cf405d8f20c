import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonFleet

@Suite("A prefetch queue", .enabled(if: TestEngine.isInstalled, TestEngine.installationHint))
struct PrefetchQueueTests {
    private func queue(
        _ server: TestEngine,
        user: String = "",
        _ change: (inout PrefetchQueue.Configuration) -> Void = { _ in }
    ) throws -> PrefetchQueue {
        var configuration = PrefetchQueue.Configuration()
        configuration.deadline = .seconds(10)
        change(&configuration)
        return PrefetchQueue(
            try TestFleet.engine("redis://\(user)127.0.0.1:\(server.port)"),
            configuration: configuration
        )
    }

    private func jobs(_ count: Int) -> [PrefetchJob] {
        (0..<count).map { PrefetchJob(source: "https://images.example/\($0)", variant: "400x400") }
    }

    @Test("has each job once, and gives it to one of many workers")
    func once() async throws {
        let server = try await TestEngine()
        let adder = try queue(server)
        #expect(try await adder.add(jobs(700)) == 700)
        #expect(try await adder.add(jobs(701)) == 1)
        let done = Lock<[PrefetchJob]>([])
        let summaries = try await withThrowingTaskGroup(of: PrefetchQueue.Summary.self) { group in
            for _ in 0..<4 {
                let queue = try queue(server)
                group.addTask {
                    try await queue.work(concurrency: 16) { job in
                        done.withLock { $0.append(job) }
                        return job.source.hasSuffix("7") ? .local : .shared
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(done.withLock { Set($0) } == Set(jobs(701)) && done.withLock { $0.count } == 701)
        #expect(summaries.map(\.doneCount).reduce(0, +) == 701)
        let progress = try await adder.progress()
        #expect(progress.isEmpty && progress.addedCount == 701 && progress.doneCount == 701)
        #expect(progress.localCount == 70 && progress.failedCount == 0 && progress.workerCount == 4)
        // It is remembered what was done, so that the list can be added again.
        #expect(try await adder.add(jobs(702)) == 1)
    }

    @Test("gives urgent jobs first")
    func urgency() async throws {
        let server = try await TestEngine()
        let queue = try queue(server)
        try await queue.add(jobs(3))
        try await queue.add([PrefetchJob(source: "https://images.example/now", isUrgent: true)])
        let order = Lock<[String]>([])
        _ = try await queue.work(concurrency: 1) { job in
            order.withLock { $0.append(job.source) }
            return .shared
        }
        #expect(order.withLock { $0.first } == "https://images.example/now" && order.withLock { $0.count } == 4)
    }

    @Test("takes no more jobs than its limit, and those before it")
    func limit() async throws {
        let server = try await TestEngine()
        let queue = try queue(server) { $0.limit = 5 }
        await #expect(throws: FleetError.queueFull(limit: 5)) { try await queue.add(jobs(8)) }
        #expect(try await queue.progress().waitingCount == 5)
    }

    @Test("refuses an engine that evicts, and says where it may not ask")
    func eviction() async throws {
        let server = try await TestEngine()
        for policy in ["allkeys-lfu", "volatile-ttl"] {
            try server.send("CONFIG", "SET", "maxmemory-policy", policy)
            await #expect(throws: FleetError.evicting(policy: policy)) { try await queue(server).add(jobs(1)) }
        }
        try server.send("CONFIG", "SET", "maxmemory-policy", "noeviction")
        #expect(try await queue(server).open() == .certain)
        try server.send(
            "ACL",
            "SETUSER",
            "worker",
            "on",
            ">pw",
            "~hcq1:*",
            "&*",
            "+@all",
            "-@admin",
            "-info",
            "-config"
        )
        guard case .unknown(let text) = try await queue(server, user: "worker:pw@").open() else {
            Issue.record("an engine that was not asked counts as safe")
            return
        }
        #expect(text.hasPrefix("NOPERM"))
    }

    @Test("lets another worker do the jobs of one that is gone, each of which counts once")
    func crash() async throws {
        let server = try await TestEngine()
        let (lost, other) = (try queue(server), try queue(server) { $0.idleTime = .milliseconds(200) })
        try await lost.add(jobs(20))
        // Taken, and never heard of again.
        let taken = try await lost.take(8)
        #expect(taken.count == 8)
        let done = Lock<[PrefetchJob]>([])
        let summary = try await other.work(concurrency: 4) { job in
            done.withLock { $0.append(job) }
            return .shared
        }
        #expect(summary.doneCount == 20 && done.withLock { Set($0) } == Set(jobs(20)))
        // It comes back, and has done them too.
        #expect(try await lost.finish(taken.map { ($0, .shared) }) == 0)
        #expect(try await lost.progress().doneCount == 20)
    }

    @Test("leaves a job to the worker that says that it is at it, unless another has it already")
    func touching() async throws {
        let server = try await TestEngine()
        let (first, second) = (try queue(server), try queue(server) { $0.idleTime = .milliseconds(50) })
        try await first.add(jobs(1))
        let taken = try await first.take(1)
        let pending = {
            try server.send("XPENDING", "hcq1:{prefetch}:jobs", "workers", "-", "+", "1").elements?[0].elements
        }
        let waits = try await eventually { try pending()?[2].number ?? 0 > 1_000 }
        #expect(waits)
        let before = try #require(pending()?[2].number)
        let start = ContinuousClock.now
        #expect(try await first.claim(0, holding: taken).isEmpty)
        // However long that took, its time begins anew.
        let passed = Int64((ContinuousClock.now - start) / .milliseconds(1))
        #expect(try #require(pending()?[2].number) < before + passed)
        // Its time is over, and another takes it.
        let isClaimed = try await eventually { try await second.claim(1, holding: []).count == 1 }
        #expect(isClaimed)
        #expect(try await first.claim(0, holding: taken).isEmpty)
        #expect(try pending()?[1].text == second.worker)
    }

    @Test("gives a job up after its attempts, and at once where trying again is of no use")
    func poison() async throws {
        let server = try await TestEngine()
        let queue = try queue(server) { $0.idleTime = .seconds(1) }
        try await queue.add(jobs(3))
        let attempts = Lock<[String: Int]>([:])
        let summary = try await queue.work(concurrency: 2) { job in
            attempts.withLock { $0[job.source, default: 0] += 1 }
            return switch job.source.last {
            case "0": .failed("status 503", isFinal: false)
            case "1": .failed("status 404", isFinal: true)
            default: .shared
            }
        }
        #expect(attempts.withLock { $0.values.sorted() } == [1, 1, 3])
        #expect(summary.doneCount == 1)
        let failures = try await queue.failures().sorted { $0.job.source < $1.job.source }
        #expect(failures.map(\.reason) == ["status 503", "status 404"])
        #expect(failures.map(\.attemptCount) == [3, 1])
        let progress = try await queue.progress()
        #expect(progress.failedCount == 2 && progress.isEmpty)
        // A job that was given up may be added again.
        #expect(try await queue.add(jobs(2)) == 2)
    }

    @Test("of which the engine is away for a while loses no job, and counts none twice")
    func absence() async throws {
        let server = try await TestEngine(["--appendonly", "yes", "--appendfsync", "always"])
        let queue = try queue(server) {
            $0.idleTime = .milliseconds(500)
            $0.deadline = .seconds(1)
        }
        try await queue.add(jobs(300))
        let (count, gate) = (Lock(0), Gate())
        async let working = queue.work(concurrency: 8) { _ in
            let isMiddle = count.withLock { count in
                count += 1
                return count == 100
            }
            if isMiddle {
                server.kill()
                gate.open()
            }
            return .shared
        }
        await gate.wait()
        try await server.start()
        let summary = try await working
        #expect(summary.lastError != nil)
        let progress = try await queue.progress()
        #expect(progress.doneCount == 300 && progress.isEmpty)
    }

    @Test("is left by a worker that is cancelled, whose jobs another does")
    func cancelling() async throws {
        let server = try await TestEngine()
        let (first, second) = (try queue(server), try queue(server) { $0.idleTime = .milliseconds(100) })
        try await first.add(jobs(10))
        let begun = Gate()
        let task = Task {
            try await first.work(concurrency: 4, staysWhenEmpty: true) { _ in
                begun.open()
                try? await Task.sleep(for: .seconds(600))
                return .shared
            }
        }
        await begun.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await second.work { _ in .shared }.doneCount == 10)
    }

    @Test("neither takes nor gives up the jobs of a worker that is late with them itself")
    func lateness() async throws {
        let server = try await TestEngine()
        let queue = try queue(server) {
            $0.attemptLimit = 1
            $0.idleTime = .milliseconds(50)
        }
        try await queue.add(jobs(2))
        let taken = try await queue.take(2)
        let areLate = try await eventually {
            let pending = try server.send("XPENDING", "hcq1:{prefetch}:jobs", "workers", "IDLE", "50", "-", "+", "2")
            return pending.elements?.count == 2
        }
        #expect(areLate)
        #expect(try await queue.claim(8, holding: taken).isEmpty)
        #expect(try await queue.failures().isEmpty)
        #expect(try await queue.finish(taken.map { ($0, .shared) }) == 2)
    }

    @Test("does not give a job up for a late failure of a worker that no longer has it")
    func lateFailure() async throws {
        let server = try await TestEngine()
        let change: (inout PrefetchQueue.Configuration) -> Void = {
            $0.attemptLimit = 2
            $0.idleTime = .milliseconds(50)
        }
        let (late, other) = (try queue(server, change), try queue(server, change))
        try await late.add(jobs(1))
        let taken = try await late.take(1)
        var claimed: [PrefetchQueue.Taken] = []
        let isClaimed = try await eventually {
            claimed = try await other.claim(1, holding: [])
            return claimed.count == 1
        }
        #expect(isClaimed)
        _ = try await late.finish(taken.map { ($0, .failed("timeout", isFinal: true)) })
        #expect(try await late.failures().isEmpty)
        #expect(try await other.finish(claimed.map { ($0, .shared) }) == 1)
    }

    @Test("has urgent and other jobs that were added at once, each of which is done")
    func bothKinds() async throws {
        let server = try await TestEngine()
        let queue = try queue(server) {
            $0.attemptLimit = 1
            $0.idleTime = .milliseconds(200)
        }
        // One script adds both, so that their entries have the same number.
        try await queue.add([PrefetchJob(source: "a", isUrgent: true), PrefetchJob(source: "b")])
        #expect(try await queue.work { _ in .shared }.doneCount == 2)
        #expect(try await queue.progress().failedCount == 0)
    }

    @Test("is opened again on an engine that has lost it")
    func lostQueue() async throws {
        let server = try await TestEngine()
        let (worker, adder, done) = (try queue(server), try queue(server), Lock(0))
        for queue in [worker, adder] { try await queue.open() }
        let task = Task {
            try await worker.work(staysWhenEmpty: true) { _ in
                done.withLock { $0 += 1 }
                return .shared
            }
        }
        try server.send("FLUSHALL")
        // It does not open the queue again, as it was opened.
        try await adder.add(jobs(1))
        #expect(await eventually { done.withLock { $0 } == 1 })
        task.cancel()
        _ = try? await task.value
    }

    @Test("is left by a worker whom the engine refuses for good")
    func refusal() async throws {
        let server = try await TestEngine()
        let (worker, ending) = (try queue(server), Lock<(any Error)?>(nil))
        try await worker.open()
        let task = Task {
            do {
                _ = try await worker.work(staysWhenEmpty: true) { _ in .shared }
            } catch {
                ending.withLock { $0 = error }
            }
        }
        // Strings in place of the streams.
        for key in ["hcq1:{prefetch}:urgent", "hcq1:{prefetch}:jobs"] { try server.send("SET", key, "1") }
        #expect(await eventually { ending.withLock { $0 != nil } })
        task.cancel()
        guard case .refused(let text) = ending.withLock({ $0 }) as? FleetError else {
            Issue.record("\(ending)")
            return
        }
        #expect(text.hasPrefix("WRONGTYPE"))
    }

    @Test("lists more jobs that were given up than a reply usually has elements")
    func manyFailures() async throws {
        let server = try await TestEngine()
        let queue = try queue(server)
        try await queue.add([PrefetchJob(source: "a")])
        _ = try await queue.work { _ in .failed("status 404", isFinal: true) }
        let copy = """
            local entry = redis.call('XRANGE', KEYS[1], '-', '+')[1][2]
            for i = 1, 8000 do redis.call('XADD', KEYS[1], '*', unpack(entry)) end
            """
        try server.send("EVAL", copy, "1", "hcq1:{prefetch}:failed")
        #expect(try await queue.failures(limit: 10_000).count == 8_001)
    }

    @Test("wakes a worker that waits for jobs")
    func waking() async throws {
        let server = try await TestEngine()
        let (worker, adder) = (try queue(server), try queue(server))
        let done = Gate()
        let task = Task {
            try await worker.work(staysWhenEmpty: true) { _ in
                done.open()
                return .shared
            }
        }
        try await adder.add(jobs(1))
        await done.wait()
        task.cancel()
        _ = try? await task.value
    }
}
