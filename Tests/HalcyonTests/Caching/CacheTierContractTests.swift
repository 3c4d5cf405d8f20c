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

    private func entry(_ key: CacheKey, in tier: any CacheTier) async -> TierEntry? {
        let answer = await tier.entry(for: key, extending: .none, call)
        return if case .hit(let entry) = answer { entry } else { nil }
    }

    /// Returns an entry as the cache stores it.
    private func original(_ bytes: [UInt8]) -> TierEntry {
        TierEntry(body: Data(bytes), digest: ContentDigest(of: Data(bytes)).value)
    }

    /// Checks a part of the contract, which `HalcyonTesting` has for tiers of programs too.
    private func check(_ clause: CacheTierContract.Clause, _ kind: Kind) async throws {
        let folder = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var count = 0
        let metadata = { (digest: UInt64?) in
            let image = try ImageCodecs.standard.decode(Sample.png())
            return ProcessedImageMetadata(image, byteCount: 1, digest: digest.map(ContentDigest.init)).data
        }
        let violations = try await CacheTierContract.violations(of: clause, metadata: metadata) {
            count += 1
            return kind.make("\(folder)/\(count)")
        }
        #expect(violations == [])
    }

    @Test("finds what was stored last, with all that belongs to it", arguments: Kind.allCases)
    func storing(kind: Kind) async throws {
        try await check(.storing, kind)
    }

    @Test("tells keys apart by their bytes, and variants from their original", arguments: Kind.allCases)
    func keys(kind: Kind) async throws {
        try await check(.keys, kind)
    }

    @Test("updates metadata only of the version that was found", arguments: Kind.allCases)
    func updating(kind: Kind) async throws {
        try await check(.updating, kind)
    }

    @Test("removes what a removal is about, and nothing else", arguments: Kind.allCases)
    func removing(kind: Kind) async throws {
        try await check(.removing, kind)
    }

    @Test("has neither an entry that has expired nor the one that it was to replace", arguments: Kind.allCases)
    func expiration(kind: Kind) async throws {
        try await check(.expiration, kind)
    }

    @Test("has one of two entries that are stored at once, whole", arguments: Kind.allCases)
    func simultaneousStores(kind: Kind) async throws {
        try await check(.simultaneousStores, kind)
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
