internal import FoundationEssentials

/// Where the keys of a workload come from. Its keys must cost both sides the same.
protocol MemoryKeys<Key>: Sendable {
    associatedtype Key: Hashable & Sendable

    var count: Int { get }

    /// The key with a number below ``count``, made again for each call if that is what keys cost.
    func key(_ index: Int) -> Key
}

/// Digests that are there, as a program has them that looks for one image more than once.
struct ReadyKeys: MemoryKeys {
    private let keys: [DigestKey]

    /// - Parameter seed: Other keys for each.
    init(_ count: Int, seed: UInt64 = 1) {
        keys = DigestKey.keys(count, seed: seed)
    }

    var count: Int { keys.count }

    @inline(__always)
    func key(_ index: Int) -> DigestKey { keys[index] }
}

/// The text of a URL, taken out of it for each call.
struct URLKeys: MemoryKeys {
    private let urls: [URL]

    /// - Parameter seed: Other URLs for each.
    init(_ count: Int, seed: UInt64 = 5) throws {
        urls = try BenchmarkURLs.make(count, seed: seed)
    }

    var count: Int { urls.count }

    @inline(__always)
    func key(_ index: Int) -> String { urls[index].absoluteString }
}
