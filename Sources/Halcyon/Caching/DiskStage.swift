internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonStore

/// The disk cache on worker threads, opened when it is first needed, with its failures kept from the loads.
final class DiskStage: Sendable {
    private struct State {
        var cache: DiskCache?
        var reported: Set<String> = []
        var pending: [UInt64: Task<Void, Never>] = [:]
        var nextID: UInt64 = 0
    }

    private let name: String
    private let directory: String?
    private let sizeLimit: Int?
    private let onFault: (@Sendable (ImageError) -> Void)?
    /// Serialises opening, so that two threads do not open the folder twice. Never held together with `state`.
    private let openingTurn = Lock(())
    private let state = Lock(State())
    /// Reads of several images overlap; more threads than this only queue in the kernel.
    private let queue = WorkQueue(name: "halcyon.disk", width: 4)

    init(name: String, directory: String?, sizeLimit: Int?, onFault: (@Sendable (ImageError) -> Void)?) {
        self.name = name
        self.directory = directory
        self.sizeLimit = sizeLimit
        self.onFault = onFault
    }

    /// The entry for a key. Whatever the disk does, this is an entry or none.
    func entry(for key: String, priority: PriorityBox) async throws -> DiskCache.Entry? {
        try await queue.run(priority: priority) { [self] cancellation in
            try cancellation.check()
            return opened()?.get(key)
        }
    }

    /// Stores an entry behind the caller's back; ``flush()`` waits for it.
    @discardableResult
    func store(
        _ key: String,
        expiration: Expiration?,
        body: @escaping @Sendable () throws -> (body: Data, metadata: Data)
    ) -> Task<Void, Never> {
        // Owned by `pending` until it ends, and made under the lock so that it cannot end before it is noted. It is not
        // cancelled: an image that was loaded is worth its place on disk, even if the caller has gone.
        state.withLock { state in
            state.nextID += 1
            let id = state.nextID
            let task = Task.detached { [self] in
                try? await queue.run(priority: PriorityBox(.low)) { [self] _ in
                    guard let disk = opened() else { return }
                    do {
                        let content = try body()
                        try disk.put(key, body: content.body, metadata: content.metadata, expiration: expiration)
                    } catch {
                        report(error)
                    }
                }
                state.withLock { $0.pending[id] = nil }
            }
            state.pending[id] = task
            return task
        }
    }

    /// Removes an entry that turned out to be useless.
    func remove(_ key: String) async {
        try? await queue.run(priority: PriorityBox(.normal)) { [self] _ in
            do {
                _ = try opened()?.remove(key)
            } catch {
                report(error)
            }
        }
    }

    /// Runs a maintenance function.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    func perform<Result: Sendable>(_ body: @escaping @Sendable (DiskCache) throws -> Result) async throws -> Result {
        do {
            return try await queue.run(priority: PriorityBox(.normal)) { [self] _ in try body(try open()) }
        } catch let error as DiskCacheError {
            throw ImageError(stage: .store, reason: .diskCache(error.description), source: "cache “\(name)”")
        }
    }

    func flush() async {
        while true {
            let tasks = state.withLock { Array($0.pending.values) }
            guard !tasks.isEmpty else { break }
            for task in tasks {
                await task.value
            }
        }
        try? await queue.run(priority: PriorityBox(.high)) { [self] _ in
            guard let disk = state.withLock({ $0.cache }) else { return }
            do {
                try disk.flush()
            } catch {
                report(error)
            }
        }
    }

    /// The cache, or none if it cannot be opened. The failure is reported once; later calls try again.
    private func opened() -> DiskCache? {
        do {
            return try open()
        } catch {
            report(error)
            return nil
        }
    }

    private func open() throws -> DiskCache {
        try openingTurn.withLock { _ in
            if let cache = state.withLock({ $0.cache }) { return cache }
            let cache = try DiskCache(name: name, directory: directory, sizeLimit: sizeLimit) { [weak self] event in
                self?.report(event)
            }
            state.withLock { $0.cache = cache }
            return cache
        }
    }

    /// Tells of a failure, once for each wording.
    private func report(_ error: any Error) {
        guard let onFault else { return }
        let text = (error as? DiskCacheError)?.description ?? "\(error)"
        guard state.withLock({ $0.reported.insert(text).inserted }) else { return }
        onFault(ImageError(stage: .store, reason: .diskCache(text), source: "cache “\(name)”"))
    }
}
