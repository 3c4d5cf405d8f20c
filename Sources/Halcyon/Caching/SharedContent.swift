internal import FoundationEssentials
internal import HalcyonConcurrency

/// The body and the metadata of an entry that several disks store, made once, when the first of them asks.
final class SharedContent: Sendable {
    typealias Content = (body: Data, metadata: Data)

    private let task = Lock<Task<Content?, any Error>?>(nil)
    private let make: @Sendable () async throws -> Content?

    /// - Parameter make: Makes the content; it returns `nil` if nothing is to be stored.
    init(_ make: @escaping @Sendable () async throws -> Content?) {
        self.make = make
    }

    /// The content.
    var value: Content? {
        get async throws {
            // Not cancelled, as no store is; it ends by itself.
            let task = task.withLock { task in
                let made = task ?? Task { [make] in try await make() }
                task = made
                return made
            }
            return try await task.value
        }
    }
}
