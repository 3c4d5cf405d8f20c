internal import HalcyonStore

extension ImagePipeline {
    /// The number of pieces of work that have not ended, for tests and searches: zero once every load has ended.
    package var unfinishedWorkCount: Int {
        stages.encodings.count + stages.images.count + stages.processing.work.count + stages.decoding.work.count
            + stages.original.work.count + stages.progressive.work.count
            + configuration.downloader.transfers.count
    }

    /// Waits until no original is refreshed that was used stale, for programs that are about to end.
    package func waitForRefreshes() async {
        await stages.original.refresher.wait()
    }
}

extension ImageCache {
    /// Returns descriptions of the memory cache's violated invariants, for tests and searches: none, unless it has a
    /// defect. Complexity: O(n).
    package func brokenInvariants() -> [String] {
        memory.brokenInvariants()
    }
}
