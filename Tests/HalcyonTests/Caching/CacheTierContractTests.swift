import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

/// The contract of ``CacheTier``, for every tier that there is.
@Suite("Every tier of a cache")
struct CacheTierContractTests {
    /// A tier that stores.
    enum Kind: CaseIterable {
        case disk, scripted

        func make(_ folder: String) -> any CacheTier {
            switch self {
            case .disk: DiskTier(configuration: .init(folder: folder), onFault: nil)
            case .scripted: ScriptedTier()
            }
        }
    }

    /// A tier that is only read, with an original under a key.
    enum ReadOnlyKind: CaseIterable {
        case cache, files, scripted

        func make(_ folder: String, _ body: Data, for key: CacheKey) async throws -> any CacheTier {
            switch self {
            case .cache:
                let disk = DiskCache(.init(folder: folder))
                try disk.store(body, for: key.text)
                try disk.close()
                return BundledImages.cache(folder: folder)
            case .files:
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try body.write(to: URL(fileURLWithPath: folder + "/file"))
                return BundledImages.files(in: folder) { $0 == key.name ? "file" : nil }
            case .scripted:
                let tier = ScriptedTier(isReadOnly: true)
                tier.put(TierEntry(body: body, digest: ContentDigest(of: body).value), for: key)
                return tier
            }
        }
    }

    private let call = TierCall()
    private let name = "https://images.example/café"

    private func withTier(_ kind: Kind, _ body: (any CacheTier) async throws -> Void) async throws {
        let folder = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(kind.make(folder))
    }

    private func entry(_ key: CacheKey, in tier: any CacheTier) async -> TierEntry? {
        let answer = await tier.entry(for: key, extending: .none, call)
        return if case .hit(let entry) = answer { entry } else { nil }
    }

    /// Returns an entry as the cache stores it.
    private func original(_ bytes: [UInt8]) -> TierEntry {
        TierEntry(body: Data(bytes), digest: ContentDigest(of: Data(bytes)).value)
    }

    private func result(of original: TierEntry, _ bytes: [UInt8]) throws -> TierEntry {
        let image = try ImageCodecs.standard.decode(Sample.png())
        let digest = original.digest.map(ContentDigest.init)
        let metadata = ProcessedImageMetadata(image, byteCount: 1, digest: digest).data
        return TierEntry(body: Data(bytes), metadata: metadata, digest: original.digest)
    }

    @Test("finds what was stored last, with all that belongs to it", arguments: Kind.allCases)
    func storing(kind: Kind) async throws {
        try await withTier(kind) { tier in
            let key = CacheKey(name: name)
            #expect(await entry(key, in: tier) == nil)
            for byte in [UInt8(1), 2] {
                var stored = original([byte])
                stored.metadata = Data([byte, 9])
                #expect(await tier.store(stored, for: key, call) != .declined)
                let found = try #require(await entry(key, in: tier))
                #expect(found.body == stored.body && found.metadata == stored.metadata)
                #expect(found.digest == stored.digest)
                #expect(found.storedAt != nil && found.version != nil)
            }
            #expect(await tier.flush(call) == .done())
            #expect(await entry(key, in: tier)?.body == Data([2]))
        }
    }

    @Test("tells keys apart by their bytes, and variants from their original", arguments: Kind.allCases)
    func keys(kind: Kind) async throws {
        try await withTier(kind) { tier in
            let keys = [
                CacheKey(name: "caf\u{e9}"), CacheKey(name: "cafe\u{301}"), CacheKey(name: "caf\u{e9}", variant: "0a"),
                CacheKey(name: "caf\u{e9}", variant: "0b"),
            ]
            for (number, key) in keys.enumerated() {
                _ = await tier.store(original([UInt8(number)]), for: key, call)
            }
            for (number, key) in keys.enumerated() {
                #expect(await entry(key, in: tier)?.body == Data([UInt8(number)]))
            }
        }
    }

    @Test("updates metadata only of the version that was found", arguments: Kind.allCases)
    func updating(kind: Kind) async throws {
        try await withTier(kind) { tier in
            let key = CacheKey(name: name)
            _ = await tier.store(original([1]), for: key, call)
            let first = try #require(await entry(key, in: tier)?.version)
            let outcome = await tier.update(Data([7]), nil, for: key, replacing: first, call)
            let found = try #require(await entry(key, in: tier))
            #expect(found.body == Data([1]) && found.metadata == Data([7]))
            #expect(outcome == .done(version: found.version))
            #expect(await tier.update(Data([8]), nil, for: key, replacing: first, call) == .declined)
            #expect(await tier.remove(.entry(key, first), call) == .done())
            #expect(await entry(key, in: tier)?.metadata == Data([7]))
            let other = CacheKey(name: "other")
            #expect(await tier.update(Data([8]), nil, for: other, replacing: first, call) == .declined)
        }
    }

    @Test("removes what a removal is about, and nothing else", arguments: Kind.allCases)
    func removing(kind: Kind) async throws {
        let (old, new) = (original([1]), original([2]))
        let key = CacheKey(name: "https://a.example/1")
        let entries: [(CacheKey, TierEntry)] = [
            (key, new), (CacheKey(name: key.name, variant: "0a"), try result(of: old, [3])),
            (CacheKey(name: key.name, variant: "0b"), try result(of: new, [4])),
            (CacheKey(name: key.name, variant: "0c"), TierEntry(body: Data([5]))),
            (CacheKey(name: "https://a.example/10"), new), (CacheKey(name: "https://b.example/"), new),
        ]
        let (oldDigest, newDigest) = (try #require(old.digest), try #require(new.digest))
        let scopes: [TierScope] = [
            .entry(key), .name(key.name), .name(key.name, except: [newDigest]), .name(key.name, except: [oldDigest]),
            .name(key.name, except: [oldDigest, newDigest]),
            .name(key.name, except: [newDigest], unknownSince: .distantPast),
            .name(key.name, except: [newDigest], unknownSince: .distantFuture),
            .names(beginningWith: "https://a.example/"),
            .names(beginningWith: "https://c"), .everything,
        ]
        for scope in scopes {
            try await withTier(kind) { tier in
                for (key, entry) in entries { _ = await tier.store(entry, for: key, call) }
                #expect(await tier.remove(scope, call) == .done())
                for (key, stored) in entries {
                    let isLeft = await entry(key, in: tier) != nil
                    let isCovered = scope.covers(key, digest: stored.digest, storedAt: Date())
                    #expect(isLeft != isCovered, "\(scope) \(key)")
                }
            }
        }
    }

    @Test("has neither an entry that has expired nor the one that it was to replace", arguments: Kind.allCases)
    func expiration(kind: Kind) async throws {
        try await withTier(kind) { tier in
            let key = CacheKey(name: name)
            _ = await tier.store(original([1]), for: key, call)
            var expired = original([2])
            expired.expiration = .expired
            #expect(await tier.store(expired, for: key, call) == .declined)
            #expect(await entry(key, in: tier) == nil)
        }
    }

    @Test("has one of two entries that are stored at once, whole", arguments: Kind.allCases)
    func atOnce(kind: Kind) async throws {
        try await withTier(kind) { tier in
            let key = CacheKey(name: name)
            await withTaskGroup(of: Void.self) { group in
                for byte in UInt8(1)...20 {
                    group.addTask { _ = await tier.store(self.original([byte, byte, byte]), for: key, self.call) }
                }
            }
            let body = try #require(await entry(key, in: tier)?.body)
            #expect(body.count == 3 && Set(body).count == 1)
        }
    }

    @Test("that is only read finds its originals, and changes nothing", arguments: ReadOnlyKind.allCases)
    func readOnly(kind: ReadOnlyKind) async throws {
        let folder = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (key, body) = (CacheKey(name: name), Data([1, 2, 3]))
        let tier = try await kind.make(folder, body, for: key)
        #expect(tier.isReadOnly && !tier.isBehind)
        let found = try #require(await entry(key, in: tier))
        #expect(found.body == body && found.digest == ContentDigest(of: body).value)
        #expect(tier.mayHave(name) && !tier.mayHave("https://a.example/none"))
        #expect(await tier.store(original([9]), for: key, call) == .declined)
        #expect(await tier.update(Data([9]), nil, for: key, replacing: TierVersion(1), call) == .declined)
        #expect(await tier.remove(.everything, call) == .declined)
        #expect(await tier.flush(call) == .done())
        #expect(await entry(key, in: tier)?.body == body)
        for other in [CacheKey(name: "other"), CacheKey(name: name, variant: "0a")] {
            #expect(await entry(other, in: tier) == nil)
        }
    }
}
