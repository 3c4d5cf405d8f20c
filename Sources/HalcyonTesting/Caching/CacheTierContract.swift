public import FoundationEssentials
public import HalcyonStore
internal import HalcyonSystem

/// What a cache expects of every tier that stores. A program that has a tier of its own checks it in its tests:
///
/// ```swift
/// @Test(arguments: CacheTierContract.Clause.allCases)
/// func contract(clause: CacheTierContract.Clause) async throws {
///     #expect(await CacheTierContract.violations(of: clause) { MyTier() } == [])
/// }
/// ```
public enum CacheTierContract {
    /// A part of the contract.
    public enum Clause: String, Sendable, CaseIterable, CustomStringConvertible {
        /// A tier finds what was stored last, with all that belongs to it.
        case storing
        /// A tier tells keys apart by their bytes, and variants from their original.
        case keys
        /// A tier updates metadata only of the version that was found.
        case updating
        /// A tier removes what a removal is about, and nothing else.
        case removing
        /// A tier has neither an entry that has expired nor the one that it was to replace.
        case expiration
        /// A tier has one of two entries that are stored at once, whole.
        case simultaneousStores

        /// The name of the case.
        public var description: String { rawValue }
    }

    /// Returns in what a tier breaks a part of the contract; empty if it keeps it.
    ///
    /// - Parameters:
    ///   - metadata: Returns the metadata of something that was made of an original with a digest, for a tier that reads the
    ///     digest from it. Default: none.
    ///   - makeTier: Returns an empty tier, each time another one.
    public static func violations(
        of clause: Clause,
        metadata: (UInt64?) throws -> Data = { _ in Data() },
        _ makeTier: () async throws -> any CacheTier
    ) async rethrows -> [String] {
        var check = Check()
        switch clause {
        case .storing: await check.storing(try await makeTier())
        case .keys: await check.keys(try await makeTier())
        case .updating: await check.updating(try await makeTier())
        case .removing:
            let entries = Check.entries(
                madeOfOld: try metadata(Check.old.digest),
                madeOfNew: try metadata(Check.new.digest)
            )
            for scope in Check.scopes { await check.removing(scope, entries, try await makeTier()) }
        case .expiration: await check.expiration(try await makeTier())
        case .simultaneousStores: await check.simultaneousStores(try await makeTier())
        }
        return check.violations
    }
}

/// The checks of one tier.
private struct Check {
    private(set) var violations: [String] = []
    private let call = TierCall()
    private let key = CacheKey(name: "https://images.example/café")

    static let old = original([1])
    static let new = original([2])

    /// An entry as the cache stores it.
    private static func original(_ bytes: [UInt8], metadata: Data = Data()) -> TierEntry {
        TierEntry(body: Data(bytes), metadata: metadata, digest: Checksum.hash(of: Data(bytes)))
    }

    private mutating func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) {
        if !condition { violations.append(sentence()) }
    }

    private func entry(_ key: CacheKey, in tier: any CacheTier) async -> TierEntry? {
        let answer = await tier.entry(for: key, extending: .none, call)
        return if case .hit(let entry) = answer { entry } else { nil }
    }

    mutating func storing(_ tier: any CacheTier) async {
        expect(await entry(key, in: tier) == nil, "an empty tier has an entry")
        for byte in [UInt8(1), 2] {
            let stored = Self.original([byte], metadata: Data([byte, 9]))
            let outcome = await tier.store(stored, for: key, call)
            expect(outcome != .declined && outcome != .unavailable, "an entry of one byte was not stored: \(outcome)")
            guard let found = await entry(key, in: tier) else {
                violations.append("what was stored is not found")
                continue
            }
            expect(found.body == stored.body, "the body is \(Array(found.body)), not \([byte])")
            expect(found.metadata == stored.metadata, "the metadata is \(Array(found.metadata))")
            expect(found.digest == stored.digest, "the digest is \(String(describing: found.digest))")
            expect(found.storedAt != nil && found.version != nil, "the entry has no time of arrival, or no version")
        }
        expect(await tier.flush(call) == .done(), "a flush failed")
        expect(await entry(key, in: tier)?.body == Data([2]), "the entry was lost by a flush")
    }

    mutating func keys(_ tier: any CacheTier) async {
        let keys = [
            CacheKey(name: "caf\u{e9}"), CacheKey(name: "cafe\u{301}"), CacheKey(name: "caf\u{e9}", variant: "0a"),
            CacheKey(name: "caf\u{e9}", variant: "0b"),
        ]
        for (number, key) in keys.enumerated() {
            _ = await tier.store(Self.original([UInt8(number)]), for: key, call)
        }
        for (number, key) in keys.enumerated() {
            let body = await entry(key, in: tier)?.body
            expect(body == Data([UInt8(number)]), "key \(number) has \(body.map { Array($0) } ?? [])")
        }
    }

    mutating func updating(_ tier: any CacheTier) async {
        _ = await tier.store(Self.old, for: key, call)
        guard let first = await entry(key, in: tier)?.version else {
            violations.append("what was stored is not found, or has no version")
            return
        }
        let outcome = await tier.update(Data([7]), nil, for: key, replacing: first, call)
        let found = await entry(key, in: tier)
        expect(found?.body == Self.old.body && found?.metadata == Data([7]), "the metadata was not replaced")
        expect(outcome == .done(version: found?.version), "the update has another version than the entry: \(outcome)")
        expect(
            await tier.update(Data([8]), nil, for: key, replacing: first, call) == .declined,
            "an earlier version was updated"
        )
        expect(await tier.remove(.entry(key, first), call) == .done(), "the removal of an earlier version failed")
        expect(await entry(key, in: tier)?.metadata == Data([7]), "another version was removed")
        expect(
            await tier.update(Data([8]), nil, for: CacheKey(name: "other"), replacing: first, call) == .declined,
            "an entry was updated that is not there"
        )
    }

    private static let name = "https://a.example/1"

    static func entries(madeOfOld: Data, madeOfNew: Data) -> [(CacheKey, TierEntry)] {
        func result(_ byte: UInt8, of original: TierEntry, _ metadata: Data) -> TierEntry {
            TierEntry(body: Data([byte]), metadata: metadata, digest: original.digest)
        }
        return [
            (CacheKey(name: name), new),
            (CacheKey(name: name, variant: "0a"), result(3, of: old, madeOfOld)),
            (CacheKey(name: name, variant: "0b"), result(4, of: new, madeOfNew)),
            (CacheKey(name: name, variant: "0c"), TierEntry(body: Data([5]))),
            (CacheKey(name: "https://a.example/10"), new), (CacheKey(name: "https://b.example/"), new),
        ]
    }

    private static func known(_ entries: [TierEntry]) -> Set<UInt64> { Set(entries.compactMap(\.digest)) }

    static let scopes: [TierScope] = [
        .entry(CacheKey(name: name)), .name(name), .name(name, except: known([new])),
        .name(name, except: known([old])),
        .name(name, except: known([old, new])), .name(name, except: known([new]), unknownSince: .distantPast),
        .name(name, except: known([new]), unknownSince: .distantFuture),
        .names(beginningWith: "https://a.example/"), .names(beginningWith: "https://c"), .everything,
    ]

    mutating func removing(_ scope: TierScope, _ entries: [(CacheKey, TierEntry)], _ tier: any CacheTier) async {
        for (key, entry) in entries { _ = await tier.store(entry, for: key, call) }
        let outcome = await tier.remove(scope, call)
        expect(outcome == .done(), "a removal failed: \(scope)")
        for (key, stored) in entries {
            let isLeft = await entry(key, in: tier) != nil
            let isCovered = scope.covers(key, digest: stored.digest, storedAt: Date())
            expect(isLeft != isCovered, "\(scope) \(isCovered ? "left" : "removed") \(key)")
        }
    }

    mutating func expiration(_ tier: any CacheTier) async {
        _ = await tier.store(Self.old, for: key, call)
        var expired = Self.new
        expired.expiration = .expired
        expect(await tier.store(expired, for: key, call) == .declined, "an entry that is over was not declined")
        expect(await entry(key, in: tier) == nil, "an entry that is over was stored, or what it replaces is left")
    }

    mutating func simultaneousStores(_ tier: any CacheTier) async {
        await withTaskGroup(of: Void.self) { [call, key] group in
            for byte in UInt8(1)...20 {
                group.addTask { _ = await tier.store(Self.original([byte, byte, byte]), for: key, call) }
            }
        }
        let body = await entry(key, in: tier)?.body
        expect(body?.count == 3 && body.map { Set($0).count } == 1, "the body is \(body.map { Array($0) } ?? [])")
    }
}
