import FoundationEssentials
import Glibc
import HalcyonStore
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonFleet

/// The removals that one machine has made because of others.
private final class Heard: Sendable {
    private let scopes = Lock<[TierScope]>([])

    var all: [TierScope] { scopes.withLock { $0 } }

    func append(_ scope: TierScope) { scopes.withLock { $0.append(scope) } }
}

@Suite("A removal in a fleet", .enabled(if: TestEngine.isInstalled, TestEngine.installationHint))
struct FleetRemovalsTests {
    private let call = TierCall()
    private let key = CacheKey(name: "https://images.example/1", variant: "0a")

    private func following(_ url: String, deadline: Duration = .seconds(5)) async throws -> (SharedTier, Heard) {
        let (tier, heard) = (try TestFleet.tier(url, deadline: deadline), Heard())
        tier.follow { heard.append($0) }
        #expect(await eventually { tier.engine.channel.isConnected && tier.removals.isCurrent })
        return (tier, heard)
    }

    @Test("is heard by every other machine once, in order, and not by its own")
    func hearing() async throws {
        let server = try await TestEngine()
        let (first, own) = try await following(server.url)
        let others = [try await following(server.url), try await following(server.url)]
        let scopes: [TierScope] = [
            .name("a"), .names(beginningWith: "b"), .name("c", except: [1, 2]), .name("d", except: [.max]),
            .everything,
            .names(beginningWith: "caf\u{e9}\0" + "0a"),
        ]
        for scope in scopes { #expect(await first.remove(scope, call) == .done()) }
        #expect(await first.remove(.entry(key), call) == .done())
        for (_, heard) in others { #expect(await eventually { heard.all.count >= scopes.count }) }
        for (_, heard) in others { #expect(heard.all == scopes) }
        #expect(own.all.isEmpty)
    }

    @Test("tells since when entries of unknown originals are kept, by the clock of each machine")
    func clocks() async throws {
        let server = try await TestEngine()
        let (first, _) = try await following(server.url)
        let late = StoreClock(monotonic: StoreClock.system.monotonic, now: { Date().addingTimeInterval(-86_400) })
        let (second, heard) = (try TestFleet.tier(server.url, clock: late), Heard())
        second.follow { heard.append($0) }
        #expect(await eventually { second.removals.isCurrent })
        _ = await first.remove(.name("a", except: [7], unknownSince: Date().addingTimeInterval(-1_000)), call)
        #expect(await eventually { heard.all.count == 1 })
        guard case .name("a", except: [7], unknownSince: let since?) = heard.all[0] else {
            Issue.record("\(heard.all)")
            return
        }
        #expect(abs(late.now().timeIntervalSince(since) - 1_000) < 20)
    }

    @Test("that was made before a later one of the same name by this machine is not made after it")
    func earlierRemoval() async throws {
        let server = try await TestEngine()
        // They hear when they ask.
        let (first, second) = (
            try TestFleet.tier(server.url, listens: false), try TestFleet.tier(server.url, listens: false)
        )
        let heard = Heard()
        second.follow { heard.append($0) }
        #expect(await second.removals.becomeCurrent())
        _ = await first.remove(.name("a", except: [1]), call)
        _ = await first.remove(.name("b", except: [1]), call)
        let last = try await second.removals.publish(.name("a", except: [2]))
        #expect(await second.removals.becomeCurrent())
        #expect(await eventually { second.removals.heard >= last })
        #expect(heard.all == [.name("b", except: [1])])
    }

    @Test("that was made before a later one by this machine is made after it where that keeps several representations")
    func earlierRemovalOfRepresentations() async throws {
        let server = try await TestEngine()
        // They hear when they ask.
        let (first, second) = (
            try TestFleet.tier(server.url, listens: false), try TestFleet.tier(server.url, listens: false)
        )
        let heard = Heard()
        second.follow { heard.append($0) }
        #expect(await second.removals.becomeCurrent())
        _ = await first.remove(.name("a", except: [1]), call)
        let last = try await second.removals.publish(.name("a", except: [2, 3]))
        #expect(await second.removals.becomeCurrent())
        #expect(await eventually { second.removals.heard >= last })
        #expect(heard.all == [.name("a", except: [1])])
    }

    @Test("that cannot be made holds up none that comes after it, and is made again until it is made")
    func failure() async throws {
        let server = try await TestEngine()
        func removals(_ process: String) throws -> FleetRemovals {
            let engine = try TestFleet.engine(server.url)
            return FleetRemovals(engine, prefix: "hc1:test", process: process, clock: .system, listens: false)
        }
        let (first, second) = (try removals("1"), try removals("2"))
        let (heard, again, fails) = (Heard(), Heard(), Lock(true))
        second.handle { removal, isAgain in
            (isAgain ? again : heard).append(removal.scope)
            return removal.scope != .name("a") || !fails.withLock { $0 }
        }
        #expect(await second.becomeCurrent())
        let position = try await first.publish(.name("a"))
        let last = try await first.publish(.name("b"))
        #expect(await second.becomeCurrent())
        #expect(await eventually { heard.all == [.name("a"), .name("b")] })
        #expect(second.heard < position, "what has failed does not count as made")
        fails.withLock { $0 = false }
        #expect(await eventually { await second.becomeCurrent() && second.heard == last })
        #expect(again.all.last == .name("a") && !again.all.contains(.name("b")))
        #expect(heard.all == [.name("a"), .name("b")])
    }

    @Test("that a machine makes because of another is not told again")
    func echo() async throws {
        let server = try await TestEngine()
        let (first, own) = try await following(server.url)
        let (second, heard) = (try TestFleet.tier(server.url), Heard())
        second.follow { [weak second] scope in
            // As a cache does, whose tiers are asked too.
            let call = second.map { TierCall().withReason(.heard(by: ObjectIdentifier($0))) }
            #expect(await second?.remove(scope, call ?? TierCall()) == .done())
            heard.append(scope)
        }
        #expect(await eventually { second.removals.isCurrent })
        _ = await first.remove(.name("a"), call)
        #expect(await eventually { heard.all == [.name("a")] })
        // The program's own removal of the same name is told.
        _ = await second.remove(.name("a"), call)
        #expect(await eventually { own.all == [.name("a")] })
        #expect(heard.all == [.name("a")])
    }

    @Test("of everything, or of a prefix, hides what was stored before on all machines, and nothing that comes after")
    func wide() async throws {
        let server = try await TestEngine()
        let (first, _) = try await following(server.url)
        let (second, _) = try await following(server.url)
        // One that hears nothing asks at each look-up.
        let deaf = try TestFleet.tier(server.url, listens: false)
        let other = CacheKey(name: "https://other.example/")
        for scope in [TierScope.everything, .names(beginningWith: "https://images.example/")] {
            for key in [key, other] { _ = await first.store(.original([1]), for: key, call) }
            for tier in [first, second, deaf] { #expect(await tier.found(key) != nil) }
            #expect(await first.remove(scope, call) == .done())
            #expect(await first.found(key) == nil)
            #expect(await deaf.found(key) == nil)
            #expect(await eventually { await second.found(key) == nil })
            #expect(await (deaf.found(other) == nil) == (scope == .everything))
            // The machine that has removed may store at once what it has loaded since.
            _ = await first.store(.original([2]), for: key, call)
            for tier in [first, deaf] { #expect(await tier.found(key)?.body == Data([2])) }
        }
    }

    @Test("stops a store of what another machine had loaded before, until that machine has heard of it")
    func lateStore() async throws {
        let server = try await TestEngine()
        let (first, _) = try await following(server.url)
        let (second, gate) = (try TestFleet.tier(server.url), Gate())
        let heard = Heard()
        second.follow { scope in
            await gate.wait()
            heard.append(scope)
        }
        #expect(await eventually { second.removals.isCurrent })
        _ = await second.store(.original([1]), for: key, call)
        #expect(await first.remove(.name(key.name), call) == .done())
        // It may have heard, but has not made the removal yet: what it stores may be older.
        #expect(await second.store(.original([1]), for: key, call) == .declined)
        #expect(await first.found(key) == nil)
        // The machine that has removed may store.
        #expect(await first.store(.original([2]), for: key, call) != .declined)
        gate.open()
        #expect(await eventually { heard.all.count == 1 })
        #expect(await eventually { await second.store(.original([3]), for: key, call) != .declined })
    }

    @Test("is heard by a machine whose question for it fails at first, also where nothing is looked for")
    func failedRead() async throws {
        let server = try await TestEngine()
        let (first, _) = try await following(server.url)
        let (second, heard) = try await following(server.url)
        try server.send("ACL", "SETUSER", "default", "-xrange")
        #expect(await first.remove(.name("a"), call) == .done())
        #expect(await eventually { !second.removals.isCurrent })
        try server.send("ACL", "SETUSER", "default", "+xrange")
        #expect(await eventually { heard.all == [.name("a")] })
        #expect(await eventually { second.removals.isCurrent })
    }

    @Test("that is heard while a store waits is about what it stores")
    func removalDuringStore() async throws {
        let server = try await TestEngine()
        let (first, _) = try await following(server.url)
        let (second, heard) = (try TestFleet.tier(server.url) { $0.storesFirst = false }, Heard())
        second.follow { heard.append($0) }
        #expect(await eventually { second.removals.isCurrent })
        #expect(await second.store(.original([1]), for: key, call) == .declined)
        // All connections for changes wait for something else.
        let others = (0..<FleetEngine.changeCount).map { _ in
            Task {
                try await second.engine.perform(
                    [EngineCommand("BLPOP", "gate", "0")],
                    key: "gate",
                    lane: .change,
                    deadline: .seconds(60)
                )
            }
        }
        #expect(
            try await eventually {
                try server.statistic("blocked_clients", in: "clients") == FleetEngine.changeCount
            }
        )
        let store = Task { await second.store(.original([1]), for: key, call) }
        #expect(await first.remove(.names(beginningWith: "https://images"), call) == .done())
        #expect(await eventually { heard.all.count == 1 })
        for _ in others { try server.send("LPUSH", "gate", "1") }
        for other in others { _ = try await other.value }
        _ = await store.value
        for tier in [first, second] { #expect(await tier.found(key) == nil) }
    }

    @Test("that was made while a machine could not be reached is made by it when it is back")
    func absence() async throws {
        let server = try await TestEngine()
        let (first, _) = try await following(server.url)
        let (second, heard) = try await following(server.url)
        let position = second.removals.heard
        // Its subscription is cut, and it hears nothing until it has one again.
        _ = await first.store(.original([1]), for: key, call)
        try server.send("CLIENT", "KILL", "TYPE", "pubsub")
        for number in 0..<1_200 { _ = await first.remove(.name("\(number)"), call) }
        _ = await first.remove(.names(beginningWith: "https://images"), call)
        #expect(await eventually { await second.found(key) == nil })
        #expect(await eventually { heard.all.count >= 1_201 })
        #expect(heard.all.prefix(1_200) == (0..<1_200).map { TierScope.name("\($0)") }[...])
        #expect(await eventually { second.removals.heard > position })
    }

    @Test("that the log has no more is made as one of everything")
    func gap() async throws {
        let server = try await TestEngine()
        let (first, _) = try await following(server.url)
        let (second, heard) = try await following(server.url)
        _ = await first.remove(.name("before"), call)
        #expect(await eventually { heard.all.count == 1 })
        let prefix = try TestFleet.secret().prefix
        // The removals come and go while nobody is told of them.
        for number in 0..<5 {
            try server.send("CLIENT", "KILL", "TYPE", "pubsub")
            _ = await first.remove(.name("\(number)"), call)
        }
        _ = second
        try server.send("XTRIM", "\(prefix):{log}", "MAXLEN", "1")
        #expect(await eventually { second.removals.isCurrent && first.removals.isCurrent })
        #expect(await eventually { heard.all.last == .name("4") })
        let missed = heard.all.dropFirst()
        #expect(missed.contains(.everything) || missed.prefix(5) == (0..<5).map { TierScope.name("\($0)") }[...])
    }

    @Test("that its machine has told of and not made is made by each that hears of it")
    func halfMade() async throws {
        let server = try await TestEngine()
        let (first, _) = try await following(server.url)
        let (second, heard) = try await following(server.url)
        _ = await first.store(.original([1]), for: key, call)
        _ = try await first.removals.publish(.name(key.name))
        #expect(await eventually { heard.all == [.name(key.name)] })
        #expect(await second.found(key) == nil)
    }

    @Test("hides what an engine that refuses changes cannot remove, and finds of it what the removal keeps")
    func refusedRemoval() async throws {
        let server = try await TestEngine()
        // They hear when they ask.
        let (first, second) = (
            try TestFleet.tier(server.url, listens: false), try TestFleet.tier(server.url, listens: false)
        )
        let (heard, kept) = (Heard(), TierEntry.original([2]))
        let other = CacheKey(name: "https://images.example/2")
        second.follow { heard.append($0) }
        _ = await first.store(.original([1]), for: key, call)
        _ = await first.store(kept, for: other, call)
        for key in [key, other] { #expect(await second.found(key) != nil) }
        let scopes: [TierScope] = [.name(key.name), .name(other.name, except: [try #require(kept.digest)])]
        for scope in scopes { _ = try await first.removals.publish(scope) }
        // It answers all the same.
        try server.send("CONFIG", "SET", "min-replicas-to-write", "1")
        #expect(await second.removals.becomeCurrent())
        #expect(await eventually { heard.all == scopes })
        #expect(await eventually(within: .seconds(20)) { await second.found(key) == nil })
        #expect(try server.send("EXISTS", SharedTier.Place(key, try TestFleet.secret()).entry) == .integer(1))
        #expect(await second.found(other)?.body == kept.body)
    }

    @Test("is made on an engine that is full")
    func fullEngine() async throws {
        let server = try await TestEngine(["--maxmemory-policy", "noeviction"])
        let (first, _) = try await following(server.url)
        let (second, heard) = try await following(server.url)
        for scope in [TierScope.name(key.name), .everything] {
            try server.send("CONFIG", "SET", "maxmemory", "0")
            let isStored = await eventually {
                _ = await first.store(.original([1]), for: key, call)
                return await second.found(key) != nil
            }
            #expect(isStored)
            // Less than it has.
            try server.send("CONFIG", "SET", "maxmemory", "100kb")
            #expect(await first.remove(scope, call) == .done())
            #expect(await eventually { heard.all.last == scope })
            #expect(await second.found(key) == nil)
        }
    }

    @Test("is made as one of everything where the engine has evicted a part of the log", arguments: 0..<3)
    func eviction(part: Int) async throws {
        let server = try await TestEngine()
        let (first, _) = try await following(server.url)
        let (second, heard) = try await following(server.url)
        _ = await first.remove(.names(beginningWith: "b"), call)
        #expect(await eventually { heard.all == [.names(beginningWith: "b")] })
        let log = try "\(TestFleet.secret().prefix):{log}"
        #expect(try server.send("DEL", [log, "\(log):wide", "\(log):state"][part]) == .integer(1))
        _ = await first.remove(.name("a"), call)
        #expect(await eventually { heard.all.count == 2 })
        #expect(heard.all.last == .everything)
        // What is removed of several names later is known too.
        let isStored = await eventually {
            _ = await first.store(.original([1]), for: key, call)
            return await second.found(key) != nil
        }
        #expect(isStored)
        _ = await first.remove(.names(beginningWith: "https"), call)
        #expect(await eventually { await second.found(key) == nil })
    }

    @Test("is made as one of everything in a disk cache of which it is not known what was made in it")
    func unknownDisk() async throws {
        let server = try await TestEngine()
        let folder = "/tmp/halcyon-removals-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let record = RemovalRecord(in: folder, prefix: try TestFleet.secret().prefix)
        #expect(record.position == .nothing)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try "an entry".write(toFile: folder + "/file", atomically: true, encoding: .utf8)
        #expect(record.position == .unknown)
        let (tier, heard) = (try TestFleet.tier(server.url), Heard())
        tier.follow(since: record) { heard.append($0) }
        let isKnown = await eventually {
            if case .known = record.position { true } else { false }
        }
        #expect(isKnown && heard.all == [.everything])
        // The next process goes on from there.
        let before = record.position
        let (other, _) = try await following(server.url)
        _ = await other.remove(.name("a"), call)
        #expect(await eventually { record.position != before })
        #expect(heard.all == [.everything, .name("a")])
        let (next, heardNext) = (try TestFleet.tier(server.url), Heard())
        next.follow(since: record) { heardNext.append($0) }
        #expect(await eventually { next.removals.isCurrent })
        _ = await other.remove(.name("b"), call)
        #expect(await eventually { heardNext.all == [.name("b")] })
    }

    @Test("of one engine is made once in a disk cache that belongs to two, one after the other")
    func twoEngines() async throws {
        let servers = [try await TestEngine(), try await TestEngine()]
        let folder = "/tmp/halcyon-removals-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let record = RemovalRecord(in: folder, prefix: try TestFleet.secret().prefix)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try "an entry".write(toFile: folder + "/file", atomically: true, encoding: .utf8)
        // Neither engine's removals are known the first time.
        for (round, scopes) in [[TierScope.everything], []].enumerated() {
            for (number, server) in servers.enumerated() {
                let (tier, heard) = (try TestFleet.tier(server.url), Heard())
                tier.follow(since: record) { heard.append($0) }
                let name = "\(round)"
                #expect(await eventually { tier.removals.isCurrent })
                let position = try await TestFleet.tier(server.url).removals.publish(.name(name))
                #expect(await eventually { heard.all.last == .name(name) })
                #expect(heard.all == scopes + [.name(name)], "engine \(number)")
                let isRecorded = await eventually {
                    if case .known(let positions) = record.position {
                        positions.values.contains(position)
                    } else {
                        false
                    }
                }
                #expect(isRecorded)
            }
        }
    }

    @Test("is recorded for the logs that were heard last")
    func manyLogs() throws {
        let folder = "/tmp/halcyon-removals-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let record = RemovalRecord(in: folder, prefix: "hc1:test")
        let limit = UInt64(RemovalRecord.logLimit)
        func position(_ time: UInt64) -> RemovalPosition { RemovalPosition(time: time, sequence: 0) }
        for log in 1...limit { record.write(log, position(log)) }
        record.write(1, position(100))
        record.write(limit + 1, position(limit + 1))
        var expected = [1: position(100), limit + 1: position(limit + 1)]
        for log in 3...limit { expected[log] = position(log) }
        #expect(record.position == .known(expected))
    }

    @Test("keeps a look-up no longer than one read after that under way, however many ask meanwhile")
    func manyLookUps() async throws {
        let server = try await TestEngine()
        // So that a read takes a while.
        let relay = try FalseEngine(
            .relay(port: server.port) { _ in
                usleep(100_000)
                return true
            }
        )
        let tier = try TestFleet.tier("redis://127.0.0.1:\(relay.port)", listens: false)
        let isAnswered = Lock(false)
        let lookUp = Task {
            _ = await tier.removals.becomeCurrent()
            isAnswered.withLock { $0 = true }
        }
        // More often than a read takes.
        let isOver = await eventually(within: .seconds(20)) {
            Task { await tier.removals.becomeCurrent() }
            return isAnswered.withLock { $0 }
        }
        #expect(isOver)
        await lookUp.value
    }

    @Test("is not known to an engine that has lost everything, so that all machines remove everything")
    func lostEngine() async throws {
        let server = try await TestEngine()
        let (first, own) = try await following(server.url)
        let (second, heard) = try await following(server.url)
        _ = await first.store(.original([1]), for: key, call)
        server.kill()
        try await server.start()
        #expect(await eventually { second.removals.isCurrent && first.removals.isCurrent })
        #expect(await second.found(key) == nil)
        #expect(await eventually { heard.all == [.everything] && own.all == [.everything] })
        let isStored = await eventually {
            _ = await first.store(.original([1]), for: key, call)
            return await second.found(key) != nil
        }
        #expect(isStored)
        _ = await first.remove(.name(key.name), call)
        #expect(await eventually { heard.all == [.everything, .name(key.name)] })
        #expect(await second.found(key) == nil)
    }
}
