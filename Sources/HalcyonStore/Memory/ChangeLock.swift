internal import HalcyonConcurrency

/// A lock that inlinable code may take: `Lock` itself is not visible outside the package, and the memory cache has to
/// be inlinable to be specialised for its key and value in the modules that use it.
@usableFromInline
final class ChangeLock: Sendable {
    private let lock = Lock<Void>(())

    @usableFromInline
    init() {}

    @usableFromInline
    func acquire() {
        lock.lock()
    }

    @usableFromInline
    func release() {
        lock.unlock()
    }
}
