internal import FoundationEssentials
internal import Halcyon
internal import Hummingbird

extension ImageServer {
    /// `DELETE /cache?source=SOURCE` removes an original and everything that was made of it, `DELETE
    /// /cache?prefix=URL` those of all sources whose URL begins so. What is being loaded is not stored afterwards.
    func purge(_ request: Request) async -> Answer {
        guard request.method == .delete else {
            var answer = failure("purge", 405, "Only DELETE is answered here.")
            answer.response.headers[.allow] = "DELETE"
            return answer
        }
        let scheme = "bearer "
        guard let token = settings.purgeToken, let given = request.headers[.authorization],
            given.prefix(scheme.count).lowercased() == scheme, token.equals(given.dropFirst(scheme.count))
        else {
            var answer = failure("purge", 401, "Purging needs the server's token.")
            answer.response.headers[.wwwAuthenticate] = "Bearer"
            return answer
        }
        let query = request.uri.queryParameters
        do {
            let count: Int
            if let text = query["source"], query["prefix"] == nil {
                count = try await remove(settings.sources.source(String(text)))
            } else if let text = query["prefix"], query["source"] == nil, let url = URL(escaping: String(text)),
                url.host() != nil
            {
                count = try await pipeline.cache.removeAll(originalsBeginningWith: url.absoluteString)
            } else {
                return failure("purge", 400, "Purging takes “source” or “prefix”; a prefix is the beginning of a URL.")
            }
            return Answer("purge", .text("{\"removed\":\(count)}\n", type: "application/json", caching: "no-store"))
        } catch let error as SourceRefusal {
            return failure("purge", error.status, error.message)
        } catch {
            // Found by this process no more, but perhaps by the next one, and by other servers while the engine is away.
            return failure("purge", 503, "Not removed everywhere, as the disk or the engine failed; ask again.")
        }
    }

    /// Removes what was made of a source.
    ///
    /// - Returns: The number of entries of the disk; of a local file, which is in memory alone, those of memory.
    private func remove(_ source: Source) async throws -> Int {
        let cache = pipeline.cache
        let before = cache.memoryStatistics.count
        let count = try await cache.remove(for: ImageRequest(source))
        return source.url?.isFileURL == true ? max(count, before - cache.memoryStatistics.count) : count
    }
}
