internal import HalcyonStore

extension ImagePipeline {
    /// Pieces of work that go on, for tests and searches: none once every load has ended.
    package var unfinishedWorkCount: Int {
        stages.image.work.count + stages.processing.work.count + stages.decoding.work.count + stages.original.work.count
            + configuration.downloader.transfers.count
    }
}

extension ImageCache {
    /// What is wrong with the memory cache's inner state, for tests and searches: nothing, unless it has a defect.
    /// Complexity: O(n).
    package func brokenInvariants() -> [String] {
        memory.brokenInvariants()
    }
}
