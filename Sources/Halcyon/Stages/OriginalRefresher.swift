internal import FoundationEssentials
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
        let priority = PriorityBox(.low)
        let context = WorkContext(priority: priority, activities: activities, report: { _ in })
        let policy = request.options.cache
        // Removals and stores since the load began keep the refresh from joining what it may not store.
        let joining = ContentRegistrations(for: request.key, with: request.caches).joining
        let fetcher = network.fetcher(for: request, since: joining.since, context: context)
        let storage = OriginalStorage(for: request, transfer, fetcher, reads: true, priority: priority)
        let transaction = HTTPCacheTransaction(
            request: transfer,
            policy: HTTPCachePolicy(lookup: .revalidate, staleIfError: .never),
            storage: storage,
            rules: request.cacheRules,
            now: request.target.disk.now,
            fetch: fetcher.fetch
        )
        let fields = transfer.headers.map { "\($0.name.canonicalName):\($0.value)" }.sorted().joined(separator: "\n")
        let cache = UInt(bitPattern: ObjectIdentifier(request.target))
        let name = "\(cache)\n\(request.key.originalDiskKey)\n\(fields)"
        tasks.start(name) { [recovery = network.recovery, workers, codecs] in
            // A failure is found again by the next load.
            let answer: HTTPCacheResponse
            do {
                answer = try await transaction.run().response
            } catch {
                guard let error = error as? ImageError else { return }
                await request.removeOriginal(ifGone: error)
                if error.isRefusal { recovery.remember(error, of: request) }
                return
            }
            // An original that was removed since the load began is not stored by the refresh of that load either.
            let claim = ContentClaim(
                registrations: request.registrations,
                transfer: fetcher.transfer,
                digest: ContentDigest(of: answer.data),
                representation: answer.stored?.contentRepresentation ?? "",
                requestTime: answer.stored?.requestTime,
                found: storage.content,
                isInBackground: true
            )
            // The request may accept what the server sends in place of an image that it does not have any more.
            if !fetcher.isOutdated, OriginalCaching(answer, storage: storage).effect == .removeOriginal {
                return await request.removeOriginal(by: claim)
            }
            let options = request.options
            let decodeOptions = options.decode.decodeOptions
            let reader = options.workers ?? workers
            guard let pending = storage.pending, !request.hasUnknownFields || !pending.head.isVarying,
                policy.storesOnDisk,
                (try? await reader.isWhole(
                    answer.data,
                    statesLength: answer.response.statesLength,
                    replaces: true,
                    codecs: request.codecs(over: codecs),
                    options: decodeOptions,
                    priority: priority
                )) == true
            else { return }
            let entry = OriginalCaching.Entry(
                diskKey: pending.diskKey,
                slot: pending.slot,
                metadata: pending.head.metadata
            )
            let writer = OriginalWriter(request: request, claim: claim, priority: priority)
            let changes = await request.replace(by: claim, .store) { [writer.store(answer.data, entry)] }
            for change in changes { await change.value }
        }
    }
}
