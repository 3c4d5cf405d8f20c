import FoundationEssentials
import HalcyonSystem
import HalcyonTesting

@testable import Halcyon

/// Counts the objects that exist.
final class LiveObjects: Sendable {
    /// An object that counts.
    final class Object: Sendable {
        private let owner: LiveObjects

        fileprivate init(_ owner: LiveObjects) {
            self.owner = owner
        }

        deinit {
            owner.state.withLock { $0.count -= 1 }
        }
    }

    private let state = Lock((count: 0, highest: 0))

    var count: Int { state.withLock { $0.count } }

    /// The highest count so far.
    var highest: Int { state.withLock { $0.highest } }

    func make() -> Object {
        state.withLock { state in
            state.count += 1
            state.highest = max(state.highest, state.count)
        }
        return Object(self)
    }
}

/// A provider that owns an object, and has its data at hand or waits until it is cancelled.
struct CountedProvider: ImageDataProvider {
    let cacheKey: String
    let object: LiveObjects.Object
    let bytes: Data?

    init(cacheKey: String, object: LiveObjects.Object, data: Data?) {
        self.cacheKey = cacheKey
        self.object = object
        bytes = data
    }

    func data() async throws -> Data {
        if let bytes { return bytes }
        let end = Gate()
        await withTaskCancellationHandler {
            await end.wait()
        } onCancel: {
            end.open()
        }
        throw CancellationError()
    }
}
