internal import Halcyon

extension Figure {
    /// Returns the figures of the memory cache.
    static func figures(of memory: MemoryCacheStatistics, limit: Int) -> [Figure] {
        [
            Figure(name: "Images", value: memory.count.grouped),
            Figure(name: "In use", value: "\(bytes(memory.cost)) of \(bytes(limit))"),
            Figure(name: "Hits", value: share(memory.hits, of: memory.hits + memory.misses)),
        ]
    }

    /// Returns the figures of the disk cache.
    ///
    /// - Parameter disk: Its own; `nil` while they are not known.
    static func figures(of disk: DiskCache.Statistics?, _ pipeline: PipelineStatistics) -> [Figure] {
        var figures: [Figure] = []
        if let disk {
            figures.append(Figure(name: "Entries", value: disk.count.grouped))
            figures.append(Figure(name: "In use", value: "\(bytes(disk.bytes)) of \(bytes(disk.sizeLimit))"))
        }
        let hits = pipeline.resultHits + pipeline.originalHits
        let lookups = hits + pipeline.originalMisses
        figures.append(Figure(name: "Hits", value: share(hits, of: lookups)))
        figures.append(Figure(name: "Saved transfers", value: bytes(pipeline.savedBytes)))
        return figures
    }

    /// Returns the figures of the network.
    static func networkFigures(of pipeline: PipelineStatistics) -> [Figure] {
        [
            Figure(name: "Transfers", value: pipeline.transfers.grouped),
            Figure(name: "Received", value: bytes(pipeline.receivedBytes)),
            Figure(name: "Failed", value: pipeline.failedTransfers.grouped),
        ]
    }

    /// Returns the figures of the loads.
    static func loadFigures(of pipeline: PipelineStatistics) -> [Figure] {
        [
            Figure(name: "All", value: pipeline.loads.grouped),
            Figure(name: "Decoded", value: pipeline.decodings.grouped),
            Figure(name: "Cancelled", value: pipeline.cancellations.grouped),
            Figure(name: "Failed", value: pipeline.failures.grouped),
            Figure(name: "Read from files", value: bytes(pipeline.readBytes)),
        ]
    }

    /// Returns "12 of 30 (40 %)".
    private static func share(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "0" }
        let percentage = Int((Double(part) / Double(whole) * 100).rounded())
        return "\(part.grouped) of \(whole.grouped) (\(percentage) %)"
    }
}
