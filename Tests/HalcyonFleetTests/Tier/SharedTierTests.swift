import FoundationEssentials
import HalcyonStore
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonFleet

@Suite("The shared tier", .enabled(if: TestEngine.isInstalled, TestEngine.installationHint))
struct SharedTierTests {
    private let call = TierCall()
    private let key = CacheKey(name: "https://images.example/1", variant: "0a")

    @Test("keeps the contract of tiers", arguments: CacheTierContract.Clause.allCases)
    func contract(clause: CacheTierContract.Clause) async throws {
        let server = try await TestEngine()
        let violations = try await CacheTierContract.violations(of: clause) {
            try server.send("FLUSHALL")
            return try TestFleet.tier(server.url)
        }
        #expect(violations == [])
    }

    @Test("gives one machine what another has stored, and nothing to one with another secret")
    func sharing() async throws {
        let server = try await TestEngine()
        let (first, second) = (try TestFleet.tier(server.url), try TestFleet.tier(server.url))
        var entry = TierEntry.original([1, 2, 3], expiration: .seconds(100))
        entry.metadata = Data("validators".utf8)
        let outcome = await first.store(entry, for: key, call)
        let found = try #require(await second.found(key))
        #expect(found.body == entry.body && found.metadata == entry.metadata && found.digest == entry.digest)
        #expect(outcome == .done(version: found.version))
        let left = try #require(found.expiration).interval(since: Date())
        #expect(left > 80 && left <= 100)
        let stranger = SharedTier(
            try TestFleet.engine(server.url),
            secret: try TestFleet.secret("another secret of sixteen bytes"),
            configuration: .init(),
            clock: .system
        )
        #expect(await stranger.found(key) == nil)
        // The names cannot be read on the engine.
        let keys = try server.send("KEYS", "*").elements?.compactMap(\.text) ?? []
        #expect(!keys.isEmpty && keys.allSatisfy { !$0.contains("images.example") })
    }

    @Test("stores what is made for the second time in the fleet")
    func secondTime() async throws {
        let server = try await TestEngine()
        let tiers = try (0..<2).map { _ in try TestFleet.tier(server.url) { $0.storesFirst = false } }
        #expect(await tiers[0].store(.original([1]), for: key, call) == .declined)
        #expect(await tiers[1].found(key) == nil)
        #expect(await tiers[1].store(.original([1]), for: key, call) != .declined)
        #expect(await tiers[0].found(key)?.body == Data([1]))
        // Replaced by the first that makes it anew.
        #expect(await tiers[0].store(.original([2]), for: key, call) != .declined)
    }

    @Test("declines what is too large, and has not what it was to replace either")
    func size() async throws {
        let server = try await TestEngine()
        let tier = try TestFleet.tier(server.url) { $0.entryByteLimit = 1_000 }
        let body = Data(count: 1_000 - SharedEntry.headByteCount)
        #expect(await tier.store(TierEntry(body: body), for: key, call) != .declined)
        #expect(await tier.found(key)?.body == body)
        #expect(await tier.store(TierEntry(body: body + Data([1])), for: key, call) == .declined)
        #expect(await tier.found(key) == nil)
    }

    @Test("takes damaged bytes, and those of another version of its form, for a miss")
    func damage() async throws {
        let server = try await TestEngine()
        let tier = try TestFleet.tier(server.url)
        let place = SharedTier.Place(key, try TestFleet.secret())
        for change in ["HCY2", "\u{1}"] {
            _ = await tier.store(.original([1, 2, 3]), for: key, call)
            #expect(await tier.found(key) != nil)
            try server.send("SETRANGE", place.entry, change == "HCY2" ? "0" : "90", change)
            #expect(await tier.found(key) == nil)
        }
    }

    @Test("has nothing whose rows the engine has evicted")
    func eviction() async throws {
        let server = try await TestEngine()
        let tier = try TestFleet.tier(server.url)
        _ = await tier.store(.original([1]), for: key, call)
        try server.send("DEL", SharedTier.Place(key, try TestFleet.secret()).rows)
        #expect(await tier.found(key) == nil)
    }

    @Test("has no more variants of an original than its limit, but room for those that expire")
    func variants() async throws {
        let server = try await TestEngine()
        let tier = try TestFleet.tier(server.url) { $0.variantLimit = 4 }
        func variant(_ number: Int) -> CacheKey { CacheKey(name: "a", variant: "\(number)") }
        for number in 0..<4 { _ = await tier.store(.original([1]), for: variant(number), call) }
        #expect(await tier.store(.original([1]), for: variant(4), call) == .declined)
        try server.send("DEL", SharedTier.Place(variant(0), try TestFleet.secret()).entry)
        #expect(await tier.store(.original([1]), for: variant(4), call) != .declined)
    }

    @Test("replaces what it has at the limit of variants, and does not count a removal as one")
    func replacement() async throws {
        let server = try await TestEngine()
        let tier = try TestFleet.tier(server.url) { $0.variantLimit = 2 }
        #expect(await tier.remove(.name("a"), call) == .done())
        func variant(_ number: Int) -> CacheKey { CacheKey(name: "a", variant: "\(number)") }
        for number in 0..<2 { #expect(await tier.store(.original([1]), for: variant(number), call) != .declined) }
        #expect(await tier.store(.original([2]), for: variant(0), call) != .declined)
        #expect(await tier.found(variant(0))?.body == Data([2]))
    }

    @Test("refuses what was loaded before the newest removal, in whatever order removals come")
    func order() async throws {
        let server = try await TestEngine()
        let engine = try TestFleet.engine(server.url)
        for position in ["2000-0", "1000-0", "2000-0"] {
            let values = [position, "100000", "rows:", "o", ""].map { Data($0.utf8) }
            let command = EngineCommand(script: SharedScripts.removeName, keys: ["rows"], values)
            _ = try await engine.perform([command], key: "rows")[0].checked()
        }
        #expect(try server.send("HGET", "rows", "!").text == "2000-0")
    }

    /// Makes a removal of the name of ``key``, as a machine does that has heard of it.
    private func remove(_ position: String, keeping entry: TierEntry?, _ tier: SharedTier) async throws {
        let place = SharedTier.Place(key, try TestFleet.secret())
        let values = [position, "100000", "\(place.rows):", "o", ""].map { Data($0.utf8) }
        let command = EngineCommand(
            script: SharedScripts.removeName,
            keys: [place.rows],
            values + (entry.map { [SharedEntry.row($0.digest)] } ?? [])
        )
        _ = try await tier.engine.perform([command], key: place.rows)[0].checked()
    }

    /// Stores an entry, as a machine does that has heard of the removals up to a position; returns whether it is stored.
    private func store(_ entry: TierEntry, heard position: RemovalPosition, _ tier: SharedTier) async throws -> Bool {
        let place = SharedTier.Place(key, try TestFleet.secret())
        let shared = SharedEntry(
            version: .new(),
            position: position,
            log: 1,
            lifetime: .seconds(60),
            makingTime: .zero,
            digest: entry.digest,
            metadata: Data(),
            body: entry.body
        )
        let command = EngineCommand(
            script: SharedScripts.store,
            keys: [place.rows, place.entry],
            [
                Data(place.field.utf8), SharedEntry.row(shared.version), Data("60000".utf8), Data("\(position)".utf8),
                shared.encoded, Data("256".utf8), SharedEntry.row(entry.digest),
            ]
        )
        return try await tier.engine.perform([command], key: place.rows)[0].checked() == .integer(1)
    }

    @Test("keeps what was stored after a removal when a machine makes an earlier one late, which keeps something")
    func lateRemoval() async throws {
        let server = try await TestEngine()
        let tier = try TestFleet.tier(server.url)
        let place = SharedTier.Place(key, try TestFleet.secret())
        let (first, second) = (TierEntry.original([1]), TierEntry.original([2]))
        try await remove("10-0", keeping: first, tier)
        try await remove("20-0", keeping: second, tier)
        #expect(try await store(second, heard: RemovalPosition(time: 20, sequence: 0), tier))
        try await remove("10-0", keeping: first, tier)
        #expect(try server.send("EXISTS", place.entry) == .integer(1))
        #expect(try server.send("HEXISTS", place.rows, place.field) == .integer(1))
        // A removal that comes later takes it.
        try await remove("30-0", keeping: first, tier)
        #expect(try server.send("EXISTS", place.entry) == .integer(0))
    }

    @Test("has nothing of a machine that had not heard of a removal, which is made after a later one")
    func lateRemovalOfAll() async throws {
        let server = try await TestEngine()
        let tier = try TestFleet.tier(server.url)
        let place = SharedTier.Place(key, try TestFleet.secret())
        let entry = TierEntry.original([1])
        // It arrives after the removal at 10-0, of which its machine has not heard.
        #expect(try await store(entry, heard: RemovalPosition(time: 5, sequence: 0), tier))
        try await remove("20-0", keeping: entry, tier)
        #expect(try server.send("EXISTS", place.entry) == .integer(1))
        try await remove("10-0", keeping: nil, tier)
        #expect(try server.send("EXISTS", place.entry) == .integer(0))
        #expect(try server.send("HEXISTS", place.rows, place.field) == .integer(0))
        #expect(try server.send("HGET", place.rows, "!").text == "20-0")
    }

    /// The number of removals that machines were told of.
    private func toldCount(_ server: TestEngine) throws -> Int64? {
        try server.send("XLEN", "\(TestFleet.secret().prefix):{log}").number
    }

    @Test("tells the others once of a removal that it has to try again, and anew of a new one")
    func retriedRemoval() async throws {
        let server = try await TestEngine()
        let tier = try TestFleet.tier(server.url)
        let rows = SharedTier.Place(key, try TestFleet.secret()).rows
        // No hash, so that its rows cannot be removed.
        try server.send("SET", rows, "1")
        #expect(await tier.remove(.name(key.name), call) == .unavailable)
        #expect(await tier.remove(.name(key.name), call.withReason(.retry)) == .unavailable)
        try server.send("DEL", rows)
        #expect(await tier.remove(.name(key.name), call.withReason(.retry)) == .done())
        #expect(try toldCount(server) == 1)
        #expect(await tier.remove(.name(key.name), call) == .done())
        #expect(try toldCount(server) == 2)
    }

    @Test("tells the others of a new removal that it could not tell of at first, also after an equal one")
    func untoldRemoval() async throws {
        let server = try await TestEngine()
        let tier = try TestFleet.tier(server.url)
        let rows = SharedTier.Place(key, try TestFleet.secret()).rows
        let state = "\(try TestFleet.secret().prefix):{log}:state"
        // Told, but its rows cannot be removed.
        try server.send("SET", rows, "1")
        #expect(await tier.remove(.name(key.name), call) == .unavailable)
        try server.send("DEL", rows)
        // A log that cannot be read.
        try server.send("RENAME", state, "\(state):aside")
        try server.send("SET", state, "1")
        #expect(await tier.remove(.name(key.name), call) == .unavailable)
        try server.send("RENAME", "\(state):aside", state)
        #expect(try toldCount(server) == 1)
        #expect(await tier.remove(.name(key.name), call.withReason(.retry)) == .done())
        #expect(try toldCount(server) == 2)
    }

    @Test("makes a removal that another tier of its cache has heard of, and tells nobody of it")
    func repeatedRemoval() async throws {
        let server = try await TestEngine()
        let (tier, other) = (try TestFleet.tier(server.url), try TestFleet.tier(server.url))
        _ = await tier.store(.original([1]), for: key, call)
        let repeated = call.withReason(.heard(by: ObjectIdentifier(other)))
        #expect(await tier.remove(.name(key.name), repeated) == .done())
        #expect(await tier.found(key) == nil)
        #expect(try toldCount(server) == 0)
    }

    @Test("tells the others of a transfer only if it has something of another original")
    func transfer() async throws {
        let server = try await TestEngine()
        let tier = try TestFleet.tier(server.url)
        let (old, new) = (TierEntry.original([1]), TierEntry.original([2]))
        let result = CacheKey(name: key.name, variant: "0b")
        func remove(keeping entry: TierEntry) async throws -> TierOutcome {
            let digest = try #require(entry.digest)
            return await tier.remove(.name(key.name, except: [digest]), call.withReason(.transfer))
        }
        _ = await tier.store(old, for: key, call)
        _ = await tier.store(TierEntry(body: Data([3])), for: result, call)
        #expect(try await remove(keeping: old) == .done())
        #expect(try toldCount(server) == 0)
        for key in [key, result] { #expect(await tier.found(key) != nil) }
        #expect(try await remove(keeping: new) == .done())
        #expect(try toldCount(server) == 1)
        for key in [key, result] { #expect(await tier.found(key) == nil) }
    }

    /// Signs in as the user of the documentation, and returns the URL.
    private func documentedUser(of server: TestEngine) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let article = folder.appendingPathComponent("../../../Sources/HalcyonFleet/HalcyonFleet.docc/HalcyonFleet.md")
        let lines = try String(contentsOfFile: article.path, encoding: .utf8).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("ACL SETUSER halcyon ") })
        let connection = try EngineConnection(to: server.address, encryption: nil, timeout: .seconds(2))
        let command = EngineCommand(line.split(separator: " ").map { Data($0.utf8) })
        _ = try connection.call([command], limits: .small, until: .now + .seconds(5))[0].checked()
        return "redis://halcyon:password@127.0.0.1:\(server.port)"
    }

    @Test("leases and a queue need no more than the ACL user of the documentation may do")
    func documentedUser() async throws {
        let server = try await TestEngine()
        let url = try documentedUser(of: server)
        let (tier, other) = (try TestFleet.tier(url), try TestFleet.tier(url))
        other.follow { _ in }
        #expect(await eventually { other.removals.isCurrent && other.engine.channel.isConnected })
        #expect(await tier.store(.original([1]), for: key, call) != .unavailable)
        let found = try #require(await other.found(key))
        let version = try #require(found.version)
        guard case .done = await tier.update(Data([1]), .seconds(60), for: key, replacing: version, call) else {
            Issue.record("the entry was not updated")
            return
        }
        for scope in [TierScope.entry(key), .name(key.name), .names(beginningWith: "a"), .everything] {
            #expect(await tier.remove(scope, call) == .done())
        }
        let leases = FleetLeases(of: tier)
        let count = try await leases.value(for: key, stored: { nil }) {
            try server.send("KEYS", "*:lease").elements?.count
        } settle: {
        }
        #expect(count == 1)
        let queue = PrefetchQueue(try TestFleet.engine(url))
        #expect(try await queue.open() == .certain)
        try await queue.add([PrefetchJob(source: "a"), PrefetchJob(source: "b")])
        let summary = try await queue.work { $0.source == "a" ? .shared : .failed("status 404", isFinal: true) }
        #expect(summary.doneCount == 1)
        #expect(try await queue.failures().count == 1)
    }

    @Test("gives one machine the time to renew an entry before it expires, and the entry to all others")
    func earlyRenewal() async throws {
        let server = try await TestEngine()
        // The smallest numbers make the earliest renewal.
        let tiers = try (0..<3).map { _ in
            try TestFleet.tier(server.url, unit: 1e-300) { $0.renewalTime = .seconds(600) }
        }
        #expect(await tiers[0].found(key) == nil)
        try await Task.sleep(for: .milliseconds(300))
        _ = await tiers[0].store(.original([1], expiration: .seconds(100)), for: key, call)
        // Made in 300 ms: at 690 times that, it is due from the beginning on.
        var found: [Bool] = []
        for tier in tiers { found.append(await tier.found(key) != nil) }
        #expect(found.filter { $0 }.count == 2)
        // A tier that draws the largest number does not renew.
        #expect(try await TestFleet.tier(server.url).found(key) != nil)
    }

    @Test("keeps its times by the engine's clock, whatever that of the machine says")
    func clocks() async throws {
        let server = try await TestEngine()
        let late = StoreClock(monotonic: StoreClock.system.monotonic, now: { Date().addingTimeInterval(-86_400) })
        let (first, second) = (try TestFleet.tier(server.url), try TestFleet.tier(server.url, clock: late))
        _ = await first.store(.original([1], expiration: .seconds(100)), for: key, call)
        let found = try #require(await second.found(key))
        #expect(try abs(#require(found.storedAt).timeIntervalSince(late.now())) < 20)
        #expect(try #require(found.expiration).interval(since: late.now()) <= 100)
    }

    @Test("on an engine that hangs, has gone, is full or answers nonsense leaves loads alone")
    func faults() async throws {
        let server = try await TestEngine(["--maxmemory", "4mb", "--maxmemory-policy", "noeviction"])
        let tier = try TestFleet.tier(server.url)
        _ = await tier.store(.original([1]), for: key, call)
        // Full: the entry is declined, and what it was to replace is gone.
        var outcome = TierOutcome.done()
        for number in 0..<40 where outcome != .declined {
            outcome = await tier.store(TierEntry(body: Data(count: 500_000)), for: CacheKey(name: "\(number)"), call)
        }
        #expect(outcome == .declined)
        _ = await tier.store(TierEntry(body: Data(count: 500_000)), for: key, call)
        #expect(await tier.found(key) == nil)
        // Gone.
        server.kill()
        guard case .unavailable = await tier.entry(for: key, extending: .none, call) else {
            Issue.record("an engine that is gone answered")
            return
        }
        #expect(await tier.store(.original([2]), for: key, call) == .unavailable)
        #expect(await tier.remove(.name(key.name), call) == .unavailable)
        #expect(await tier.update(Data(), nil, for: key, replacing: TierVersion(1), call) == .unavailable)
        // Back, and empty.
        try await server.start()
        #expect(
            await eventually {
                if case .miss = await tier.entry(for: key, extending: .none, call) { true } else { false }
            }
        )
    }
}
