/// A key of ``WorkCoalescer`` whose hash is worked out once, before the lock of the table is taken.
///
/// A key is hashed and compared some ten times while its work is joined, ended and left, and keys of loads are large:
/// URL, headers, options. Hashed under the lock each time, five thousand different loads at once held each other up.
final class HashedWorkKey<Key: Hashable & Sendable>: Hashable, Sendable {
    let key: Key
    private let hash: Int

    init(_ key: Key) {
        self.key = key
        hash = key.hashValue
    }

    static func == (left: HashedWorkKey, right: HashedWorkKey) -> Bool {
        left === right || (left.hash == right.hash && left.key == right.key)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}
