import FoundationEssentials
import HalcyonStore
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonFleet

/// One machine that makes entries under leases.
private struct Machine {
    let tier: SharedTier
    let leases: FleetLeases

    /// - Parameter lease: Default: so long that no test waits for its end.
    init(
        _ url: String,
        lease: Duration = .seconds(60),
        deadline: Duration = .seconds(5),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws {
        tier = try TestFleet.tier(url, deadline: deadline) { $0.storesFirst = false }
        var configuration = FleetLeases.Configuration()
        configuration.lease = lease
        configuration.longestWait = .seconds(600)
        leases = FleetLeases(of: tier, configuration: configuration, clock: clock)
    }

    /// Returns an entry's body, made by `make` if this machine makes it, as a load does.
    func value(for key: CacheKey, isStored: Bool = true, _ make: @escaping @Sendable () async throws -> [UInt8])
        async throws -> [UInt8]
    {
        let stored = { [tier] in await tier.found(key).map { [UInt8]($0.body) } }
        if let value = await stored() { return value }
        let made = Lock<[UInt8]?>(nil)
        return try await leases.value(for: key, stored: stored) {
            let value = try await make()
            made.withLock { $0 = value }
            return value
        } settle: { [tier] in
            guard isStored, let value = made.withLock({ $0 }) else { return }
            _ = await tier.store(.original(value), for: key, TierCall())
        }
    }
}

@Suite("A lease", .enabled(if: TestEngine.isInstalled, TestEngine.installationHint))
struct FleetLeasesTests {
    private let key = CacheKey(name: "https://images.example/1", variant: "0a")

    @Test("lets one of many machines make an entry, though it is made for the first time, and all others have it")
    func once() async throws {
        let server = try await TestEngine()
        let machines = try (0..<4).map { _ in try Machine(server.url) }
        let (count, gate) = (Lock(0), Gate())
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for number in 0..<64 {
                group.addTask { [key] in
                    try await machines[number % 4].value(for: key) {
                        let made = count.withLock { count in
                            count += 1
                            return count
                        }
                        await gate.wait()
                        return [UInt8(made)]
                    }
                }
            }
            #expect(await eventually { machines.map(\.leases.waiterCount).reduce(0, +) == 63 })
            gate.open()
            for try await value in group { #expect(value == [1]) }
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("that is released is heard at once, long before its end")
    func hearing() async throws {
        let server = try await TestEngine()
        let (first, second) = (try Machine(server.url), try Machine(server.url))
        let (gate, begun) = (Gate(), Gate())
        async let made = first.value(for: key) {
            begun.open()
            await gate.wait()
            return [1]
        }
        await begun.wait()
        async let waited = second.value(for: key) {
            Issue.record("it was made twice")
            return [2]
        }
        #expect(await eventually { second.leases.waiterCount == 1 })
        gate.open()
        #expect(try await made == [1])
        #expect(try await waited == [1])
    }

    @Test("is taken by one of those that waited for what was not stored, as it was made for the first time")
    func missed() async throws {
        let server = try await TestEngine()
        let machines = try (0..<4).map { _ in try Machine(server.url) }
        let (isDeclined, gate, count) = (Gate(), Gate(), Lock(0))
        let first = try await machines[0].leases.value(for: key) {
            nil
        } make: {
            [1] as [UInt8]
        } settle: { [key, tier = machines[0].tier] in
            #expect(await tier.store(.original([1]), for: key, TierCall()) == .declined)
            isDeclined.open()
            await gate.wait()
        }
        #expect(first == [1])
        await isDeclined.wait()
        let others = machines.dropFirst().map { machine in
            Task { [key] in
                try await machine.value(for: key) {
                    count.withLock { $0 += 1 }
                    return [2]
                }
            }
        }
        #expect(await eventually { machines.map(\.leases.waiterCount).reduce(0, +) == 3 })
        gate.open()
        for other in others { #expect(try await other.value == [2]) }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("of work that fails, or whose result is not stored, keeps nobody waiting", arguments: [true, false])
    func nothing(fails: Bool) async throws {
        struct Failure: Error {}
        let server = try await TestEngine()
        let machines = try (0..<3).map { _ in try Machine(server.url) }
        let (gate, begun) = (Gate(), Gate())
        let first = Task { [key] in
            try await machines[0].value(for: key, isStored: false) {
                begun.open()
                await gate.wait()
                if fails { throw Failure() }
                return [1]
            }
        }
        await begun.wait()
        let others = machines.dropFirst().map { machine in
            Task { [key] in try await machine.value(for: key, isStored: false) { [2] } }
        }
        #expect(await eventually { machines[1].leases.waiterCount + machines[2].leases.waiterCount == 2 })
        gate.open()
        if fails {
            await #expect(throws: Failure.self) { try await first.value }
        } else {
            #expect(try await first.value == [1])
        }
        for other in others { #expect(try await other.value == [2]) }
    }

    @Test("of a machine that is gone is followed by another after its time")
    func takingOver() async throws {
        let server = try await TestEngine()
        let place = SharedTier.Place(key, try TestFleet.secret())
        try server.send("SET", place.lease, "a machine that is gone", "PX", "300")
        let machine = try Machine(server.url)
        let start = ContinuousClock.now
        #expect(try await machine.value(for: key) { [1] } == [1])
        #expect(ContinuousClock.now - start >= .milliseconds(200))
    }

    @Test("is renewed at a third of its time while the work goes on")
    func renewal() async throws {
        let server = try await TestEngine()
        let clock = ManualClock()
        let machine = try Machine(server.url, clock: clock)
        let (gate, begun) = (Gate(), Gate())
        async let made = machine.value(for: key) {
            begun.open()
            await gate.wait()
            return [1]
        }
        await begun.wait()
        let lease = SharedTier.Place(key, try TestFleet.secret()).lease
        for _ in 0..<3 {
            try server.send("PEXPIRE", lease, "20000")
            let isRenewed = try await eventually {
                clock.advance(by: .seconds(20))
                return try server.send("PTTL", lease).number ?? 0 > 30_000
            }
            #expect(isRenewed)
        }
        gate.open()
        #expect(try await made == [1])
    }

    @Test("that the engine gave, but could not tell, is given up at once")
    func untoldLease() async throws {
        let server = try await TestEngine()
        let place = SharedTier.Place(key, try TestFleet.secret())
        let relay = try FalseEngine(
            .relay(port: server.port) { !String(decoding: $0, as: UTF8.self).contains("taken") }
        )
        let machine = try Machine("redis://127.0.0.1:\(relay.port)", deadline: .seconds(60))
        #expect(try await machine.value(for: key) { [1] } == [1])
        try #require(await eventually { try server.info("commandstats").contains("cmdstat_publish") })
        #expect(try server.send("EXISTS", place.lease).number == 0)
    }

    @Test("is given up where the tiers cannot be asked after it was waited for")
    func failedLookUp() async throws {
        struct Failure: Error {}
        let server = try await TestEngine()
        let (first, second) = (try Machine(server.url), try Machine(server.url))
        let (gate, begun, key) = (Gate(), Gate(), key)
        let made: Task<[UInt8], any Error> = Task {
            try await first.value(for: key, isStored: false) {
                begun.open()
                await gate.wait()
                return [1]
            }
        }
        await begun.wait()
        let lookUps = Lock(0)
        let waited: Task<[UInt8], any Error> = Task {
            try await second.leases.value(for: key) { () -> [UInt8]? in
                let count = lookUps.withLock { count in
                    count += 1
                    return count
                }
                // The first is after the other machine has ended.
                if count > 1 { throw Failure() }
                return nil
            } make: {
                [2]
            } settle: {
            }
        }
        #expect(await eventually { second.leases.waiterCount == 1 && second.tier.engine.channel.isConnected })
        gate.open()
        #expect(try await made.value == [1])
        await #expect(throws: Failure.self) { try await waited.value }
        let lease = SharedTier.Place(key, try TestFleet.secret()).lease
        #expect(try await eventually { try ["stored", nil].contains(server.send("GET", lease).text) })
    }

    @Test("costs nothing but the making where the engine is gone")
    func goneEngine() async throws {
        let machine = try Machine("redis://127.0.0.1:\(TestEngine.freePort())")
        for number in UInt8(0)..<10 { #expect(try await machine.value(for: key) { [number] } == [number]) }
    }

    @Test("that is waited for when the engine is killed leaves each machine its own work")
    func killedEngine() async throws {
        let server = try await TestEngine()
        let (first, second) = (try Machine(server.url), try Machine(server.url))
        let (gate, begun) = (Gate(), Gate())
        async let made = first.value(for: key) {
            begun.open()
            await gate.wait()
            return [1]
        }
        await begun.wait()
        async let waited = second.value(for: key) { [2] }
        #expect(await eventually { second.leases.waiterCount == 1 && second.tier.engine.channel.isConnected })
        server.kill()
        #expect(try await waited == [2])
        gate.open()
        #expect(try await made == [1])
    }

    @Test("is not waited for by a caller that is cancelled, and given up by a holder that is")
    func cancelling() async throws {
        let server = try await TestEngine()
        let (first, second) = (try Machine(server.url), try Machine(server.url))
        let (begun, key) = (Gate(), key)
        let holder = Task {
            try await first.value(for: key) {
                begun.open()
                try await Task.sleep(for: .seconds(600))
                return [1]
            }
        }
        await begun.wait()
        let waiter = Task { try await second.value(for: key) { [2] } }
        #expect(await eventually { second.leases.waiterCount == 1 })
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        holder.cancel()
        await #expect(throws: CancellationError.self) { try await holder.value }
        #expect(try await second.value(for: key) { [3] } == [3])
    }
}
