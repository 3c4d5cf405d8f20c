import FoundationEssentials
import HTTPTypes
import HalcyonTesting

@testable import Halcyon

/// A pipeline over a group of two caches, whose clock stands still, and one URL.
final class CacheGroupFixture: Sendable {
    let clock = ManualStoreClock()
    let url = Sample.url()
    let transport = ScriptedTransport()
    /// Holds the next decoding, before it begins.
    let held = HeldCall()
    let high: ImageCache
    let low: ImageCache
    /// A cache that is not in the group.
    let other: ImageCache
    let group: ImageCacheGroup
    let pipeline: ImagePipeline
    private let folders = (0..<3).map { _ in TestPipeline.temporaryPath() }

    init(
        lookup: ImageCacheGroup.Policy = .all,
        storing: ImageCacheGroup.Policy = .highest,
        containing: ImageCacheGroup.Policy = .all,
        removing: ImageCacheGroup.Policy = .all,
        clearing: ImageCacheGroup.Policy = .all,
        promotes: Bool = false
    ) {
        let caches = folders.map { [clock] folder in
            var disk = DiskCache.Configuration(folder: folder)
            disk.clock = clock.clock
            disk.sweepInterval = nil
            return ImageCache(disk: disk, memoryPressure: nil)
        }
        (high, low, other) = (caches[0], caches[1], caches[2])
        group = ImageCacheGroup(
            high,
            [low],
            lookup: lookup,
            storing: storing,
            containing: containing,
            removing: removing,
            clearing: clearing,
            promotes: promotes
        )
        pipeline = ImagePipeline(
            configuration: .init(
                downloader: ImageDownloader(transport: transport),
                codecs: .observed { [held] call, _ in if call == .decode { held.pass() } },
                workerCount: 2,
                caches: group
            )
        )
        transport.serve(url, Sample.png())
    }

    deinit {
        for folder in folders { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// Sets the server's response from now on.
    func serve(_ body: Data, _ headers: HTTPFields = [:], status: Int = 200) {
        transport.setRoute(url, .init(status: status, headers: headers, body: body))
    }

    /// Loads, and waits until everything is stored.
    @discardableResult
    func load(_ options: [ImageOption] = []) async throws -> ImageResponse {
        let response = try await pipeline.response(for: url, options: ImageOptions(options))
        await settle()
        return response
    }

    /// Waits until nothing is under way any more.
    func settle() async {
        await eventually { [pipeline] in pipeline.unfinishedWorkCount == 0 }
        await group.flush()
    }

    /// The numbers of images in memory and of entries on disk, of the highest cache and of the lowest.
    func counts() async throws -> [Int] {
        await settle()
        return [
            high.memoryStatistics.count, try await high.diskStatistics().count,
            low.memoryStatistics.count, try await low.diskStatistics().count,
        ]
    }
}
