import FoundationEssentials
import HalcyonStore
import HalcyonSystem
import Testing

@testable import HalcyonFleet

@Suite("A cluster", .enabled(if: TestEngine.isInstalled, TestEngine.installationHint), .serialized)
struct ClusterTests {
    private func keys(_ count: Int = 60) -> [String] { (0..<count).map { "{k\($0)}:value" } }

    private func set(_ key: String, _ engine: FleetEngine) async throws -> [EngineReply] {
        try await engine.perform([EngineCommand("SET", key, key), EngineCommand("GET", key)], key: key)
    }

    @Test("is asked at the node that has a key, which it is told of once")
    func slots() async throws {
        let cluster = try await TestCluster()
        let engine = try TestFleet.engine(cluster.url)
        for key in keys() { #expect(try await set(key, engine) == [.status("OK"), .bytes(Data(key.utf8))]) }
        #expect(engine.topology.lookCount == 1)
    }

    @Test("whose slots move is followed, during the move and after it")
    func moving() async throws {
        let cluster = try await TestCluster()
        let engine = try TestFleet.engine(cluster.url)
        let key = "{k1}:value"
        _ = try await set(key, engine)
        let source = cluster.primary(of: key)
        let target = (source + 1) % 3
        let (from, to) = (cluster.nodes[source], cluster.nodes[target])
        let (fromID, toID) = (
            try #require(try from.send("CLUSTER", "MYID").text), try #require(try to.send("CLUSTER", "MYID").text)
        )
        let slot = "\(ClusterSlots.slot(of: key))"
        try to.send("CLUSTER", "SETSLOT", slot, "IMPORTING", fromID)
        try from.send("CLUSTER", "SETSLOT", slot, "MIGRATING", toID)
        // What is there is answered by the old node; what is not, by the new one (ASK).
        #expect(try await engine.perform([EngineCommand("GET", key)], key: key) == [.bytes(Data(key.utf8))])
        #expect(try await engine.perform([EngineCommand("SET", "{k1}:new", "1")], key: "{k1}:new") == [.status("OK")])
        #expect(try await engine.perform([EngineCommand("GET", "{k1}:new")], key: "{k1}:new")[0].text == "1")
        try from.send("MIGRATE", "127.0.0.1", "\(to.port)", key, "0", "5000")
        for node in [to, from] { try node.send("CLUSTER", "SETSLOT", slot, "NODE", toID) }
        // MOVED
        #expect(try await engine.perform([EngineCommand("GET", key)], key: key) == [.bytes(Data(key.utf8))])
        #expect(try await engine.perform([EngineCommand("GET", "{k1}:new")], key: "{k1}:new")[0].text == "1")
    }

    @Test(
        "that loses a primary answers for its keys again after the failover, and is asked for its map once a second at most"
    )
    func failover() async throws {
        let cluster = try await TestCluster()
        var configuration = try FleetEngine.Configuration(cluster.url)
        configuration.deadline = .milliseconds(200)
        let engine = FleetEngine(configuration)
        for key in keys() { #expect(await eventually { (try? await set(key, engine)) != nil }) }
        let lost = keys().filter { cluster.primary(of: $0) == 0 }
        let others = keys().filter { cluster.primary(of: $0) != 0 }
        let start = ContinuousClock.now
        let before = engine.topology.lookCount
        cluster.nodes[0].kill()
        // The others answer meanwhile.
        for key in others.prefix(5) { #expect(try await set(key, engine)[1].text == key) }
        #expect(await eventually { (try? await set(lost[0], engine))?[1].text == lost[0] })
        for key in lost { #expect(await eventually { (try? await set(key, engine))?[1].text == key }) }
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        #expect(engine.topology.lookCount - before <= seconds + 2)
    }

    @Test("keeps a shared tier, removals and leases, whatever nodes their keys are on")
    func tier() async throws {
        let cluster = try await TestCluster()
        let (first, second) = (try TestFleet.tier(cluster.url), try TestFleet.tier(cluster.url))
        second.follow { _ in }
        #expect(await eventually { second.removals.isCurrent })
        let keys = (0..<30).map { CacheKey(name: "\($0)", variant: "0a") }
        for key in keys { #expect(await first.store(.original([1]), for: key, TierCall()) != .unavailable) }
        for key in keys { #expect(await second.found(key)?.body == Data([1])) }
        #expect(await first.remove(.name("3"), TierCall()) == .done())
        #expect(await second.found(keys[3]) == nil)
        #expect(await first.remove(.everything, TierCall()) == .done())
        for key in keys { #expect(await eventually { await second.found(key) == nil }) }
        let leases = FleetLeases(of: first)
        for key in keys {
            let value = try await leases.value(for: key, stored: { nil }, make: { 7 }, settle: {})
            #expect(value == 7)
        }
    }
}

@Suite("A set of Sentinels", .enabled(if: TestEngine.isInstalled, TestEngine.installationHint), .serialized)
struct SentinelTests {
    @Test("names the primary, and the one that takes its place")
    func failover() async throws {
        let set = try await TestSentinels()
        var configuration = try FleetEngine.Configuration(set.url)
        configuration.deadline = .milliseconds(500)
        let engine = FleetEngine(configuration)
        let write: @Sendable () async throws -> EngineReply = {
            try await engine.perform([EngineCommand("SET", "a", "1")], key: "a")[0].checked()
        }
        #expect(await eventually { (try? await write()) == .status("OK") })
        #expect(try await engine.perform([EngineCommand("ROLE")], key: "a")[0].elements?[0].text == "master")
        set.nodes[0].kill()
        #expect(await eventually { (try? await write()) == .status("OK") })
        // The old primary comes back, and there is one primary again: on a busy machine not always the one before.
        try await set.nodes[0].start()
        let areOne = await eventually {
            set.nodes.count { ((try? $0.info("replication")) ?? "").contains("role:slave") } == set.nodes.count - 1
        }
        #expect(areOne)
        #expect(await eventually { (try? await write()) == .status("OK") })
    }

    @Test("of which none answers fails within the deadline")
    func unreachable() async throws {
        var configuration = try FleetEngine.Configuration(
            "redis://127.0.0.1:\(TestEngine.freePort())?sentinel=images"
        )
        configuration.deadline = .milliseconds(500)
        let engine = FleetEngine(configuration)
        await #expect(throws: FleetError.noPrimary) { try await engine.perform([EngineCommand("PING")], key: nil) }
    }
}
