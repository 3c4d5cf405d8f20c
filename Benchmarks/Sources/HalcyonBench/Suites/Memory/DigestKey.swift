/// A key of 128 bits, such as a digest of what it stands for.
///
/// Its hash is ready, as that of the pipeline's keys is; a dictionary hashes the bits all the same.
struct DigestKey: Hashable {
    let high: UInt64
    let low: UInt64

    func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(low)
    }

    var hashValue: Int { Int(bitPattern: UInt(high ^ low)) }

    /// Keys that are the same in every run.
    static func keys(_ count: Int, seed: UInt64 = 1) -> [DigestKey] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in DigestKey(high: random.next(), low: random.next()) }
    }
}

/// What a cache holds: an object, as an image is.
final class CachedObject: Sendable {
    let number: Int

    init(_ number: Int) {
        self.number = number
    }
}
