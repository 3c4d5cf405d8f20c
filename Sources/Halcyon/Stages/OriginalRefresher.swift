internal import HalcyonCodecs
internal import HalcyonHTTP
internal import HalcyonSystem

/// Revalidates originals in the background after they were used stale (RFC 5861, section 3).
final class OriginalRefresher: Sendable {
    /// The maximum number of originals that are refreshed at a time. Each has its bytes in memory until they are stored, and
    /// no load waits for that.
    static let width = 8

    private let network: NetworkFetcher
    private let workers: PixelWorkers
    private let codecs: ImageCodecs
    /// One task for each original in each cache, and for each of its representations.
    private let tasks = KeyedTasks(width: OriginalRefresher.width)

    init(network: NetworkFetcher, workers: PixelWorkers, codecs: ImageCodecs) {
        self.network = network
        self.workers = workers
        self.codecs = codecs
    }

    /// Waits until no refresh is under way.
    func wait() async {
        await tasks.wait()
    }

    /// Asks the server, and stores its response if that is an image.
    ///
    /// - Parameter activities: Counts the transfer, which no load observes.
    func refresh(_ request: ResolvedRequest, _ transfer: TransferRequest, _ activities: LoadActivities?) {
        let context = WorkContext(priority: PriorityBox(.low), activities: activities, report: { _ in })
        // Removals and stores since the load began keep the refresh from joining what it may not store.
        let since = ContentRegistrations(for: request.key, with: request.caches).joining.since
        let fields = transfer.headers.map { "\($0.name.canonicalName):\($0.value)" }.sorted().joined(separator: "\n")
        let cache = UInt(bitPattern: ObjectIdentifier(request.target))
        let name = "\(cache)\n\(request.key.originalDiskKey)\n\(fields)"
        tasks.start(name) { [network, workers, codecs, request = request.revalidating] in
            // A failure is found again by the next load.
            let original: Original
            do {
                original = try await network.cached(transfer, for: request, since: since, context: context) {}
            } catch {
                guard let error = error as? ImageError else { return }
                await request.removeOriginal(ifGone: error)
                if error.isRefusal { network.recovery.remember(error, of: request) }
                return
            }
            // An original that was removed since the load began is not stored by the refresh of that load either.
            var claim = original.claim(of: request)
            claim.isInBackground = true
            // The request may accept what the server sends in place of an image that it does not have any more.
            if original.caching.effect == .removeOriginal { return await request.removeOriginal(by: claim) }
            guard let entry = original.caching.entry, request.options.cache.storesOnDisk,
                (try? await workers.isWhole(original, of: request, over: codecs, context.priority)) == true
            else { return }
            let writer = OriginalWriter(request: request, claim: claim, priority: context.priority)
            let changes = await request.replace(by: claim, .store) { [writer.store(original.data, entry)] }
            for change in changes { await change.value }
        }
    }
}
