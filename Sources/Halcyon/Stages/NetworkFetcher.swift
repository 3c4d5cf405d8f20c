internal import HalcyonConcurrency
internal import HalcyonHTTP

/// Gets originals from servers.
struct NetworkFetcher: OriginalFetching {
    let downloader: ImageDownloader
    let recovery: Recovery

    /// What gets the originals of one load for the HTTP cache.
    ///
    /// - Parameter since: Transfers that began before, by their ``WorkNumber``, are not joined.
    func fetcher(for request: ResolvedRequest, since: UInt64, context: WorkContext) -> OriginalFetcher {
        OriginalFetcher(for: request, downloader: downloader, recovery: recovery, since: since, context: context)
    }

    /// Gets an original that no HTTP cache may answer for: that of another method than GET, or with a body.
    func fetch(_ request: ResolvedRequest, context: WorkContext) async throws -> FetchedOriginal {
        guard request.options.network.isAllowed, case .network(let transfer) = request.source.location else {
            throw request.notCached
        }
        let download = try await downloader.download(
            transfer,
            policy: request.options.network,
            audience: request.audience,
            since: request.sharesSince,
            context: context
        )
        let body = download.body
        guard !body.data.isEmpty else { throw request.emptyBody }
        let isForOthers = body.isForHiddenRequest && !request.namesAudience
        return FetchedOriginal(
            data: body.data,
            source: .network,
            metrics: body.metrics,
            // What only this request takes for an image is none to others.
            effect: isForOthers || !HTTPStatus.isContent(body.response.status) ? .leave : .store,
            age: .transferred(began: download.number)
        )
    }
}

extension ResolvedRequest {
    /// The error for a response without a body.
    var emptyBody: ImageError { ImageError(stage: .load, reason: .emptyBody, source: "\(source)") }
}
