import FoundationEssentials
import HTTPTypes
import HalcyonStore
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon
@testable import HalcyonFleet

/// One machine of a fleet: a pipeline with a disk of its own, and an engine that it shares.
private final class Machine: Sendable {
    let transport = ScriptedTransport()
    let tier: SharedTier
    let leases: FleetLeases
    let pipeline: ImagePipeline
    private let ownFolder: String

    /// - Parameter folder: The folder of the disk cache. Default: a new one, which ends with the machine.
    init(_ server: TestEngine, storesFirst: Bool = false, folder: String? = nil) throws {
        tier = try TestFleet.tier(server.url) { $0.storesFirst = storesFirst }
        leases = FleetLeases(of: tier)
        ownFolder = "/tmp/halcyon-fleet-\(UUID().uuidString)"
        let cache = ImageCache(
            disk: .init(folder: folder ?? ownFolder),
            memoryCostLimit: 64 << 20,
            tiers: [tier],
            memoryPressure: nil
        )
        tier.follow(cache)
        var configuration = ImagePipeline.Configuration(
            downloader: ImageDownloader(transport: transport),
            cache: cache,
            workerCount: 2,
            decodeBudget: 64 << 20
        )
        configuration.sharing = leases
        pipeline = ImagePipeline(configuration: configuration)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: ownFolder)
    }

    /// Waits until it hears of the others.
    func ready() async {
        #expect(await eventually { tier.removals.isCurrent && tier.engine.channel.isConnected })
    }

    func width(_ url: URL, _ options: [ImageOption] = []) async throws -> Int {
        try await pipeline.response(for: url, options: options).image.size.width
    }
}

@Suite("The machines of a fleet", .enabled(if: TestEngine.isInstalled, TestEngine.installationHint))
struct FleetPipelineTests {
    private func url() throws -> URL {
        try #require(URL(string: "https://images.example/\(UUID().uuidString).png"))
    }

    private func png(_ width: Int = 64, _ height: Int = 48, seed: UInt8 = 1) throws -> Data {
        var bitmap = try Bitmap(size: PixelSize(width, height), isOpaque: true)
        bitmap.withUnsafeMutableBytes { bytes in
            for index in bytes.indices {
                bytes[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: index) &* seed
            }
        }
        return try ImageCodecs.standard.encode(bitmap, as: .png)
    }

    private func size(_ side: Int, keepsOriginal: Bool = true) -> [ImageOption] {
        let processor = ImageOption.processor(.downsample(to: .pixels(side, side)))
        return keepsOriginal ? [processor, .cacheOriginalImage] : [processor]
    }

    @Test("transfer an image once, however many of them want it at once")
    func oneTransfer() async throws {
        let server = try await TestEngine()
        let machines = try (0..<3).map { _ in try Machine(server) }
        for machine in machines { await machine.ready() }
        let (url, body) = (try url(), try png())
        for machine in machines { machine.transport.setRoute(url, nil) }
        let first = Task { try await machines[0].width(url) }
        let transfer = await machines[0].transport.nextTransfer()
        let others = machines.dropFirst().map { machine in Task { try await machine.width(url) } }
        #expect(await eventually { machines.map(\.leases.waiterCount).reduce(0, +) == 2 })
        transfer.respond(status: 200)
        transfer.send(body)
        transfer.finish()
        #expect(try await first.value == 64)
        for other in others { #expect(try await other.value == 64) }
        #expect(machines.map(\.transport.startedCount) == [1, 0, 0])
    }

    @Test("make four sizes of one image with one transfer")
    func sizes() async throws {
        let server = try await TestEngine()
        let machines = try (0..<4).map { _ in try Machine(server) }
        for machine in machines { await machine.ready() }
        let (url, body) = (try url(), try png(200, 200))
        for machine in machines { machine.transport.setRoute(url, nil) }
        let first = Task { [size] in try await machines[0].width(url, size(10, true)) }
        let transfer = await machines[0].transport.nextTransfer()
        let others = machines.indices.dropFirst().map { index in
            Task { [size] in try await machines[index].width(url, size(10 * (index + 1), true)) }
        }
        #expect(await eventually { machines.map(\.leases.waiterCount).reduce(0, +) == 3 })
        transfer.respond(status: 200)
        transfer.send(body)
        transfer.finish()
        #expect(try await first.value == 10)
        for (index, other) in others.enumerated() { #expect(try await other.value == 10 * (index + 2)) }
        #expect(machines.map(\.transport.startedCount).reduce(0, +) == 1)
    }

    @Test("find what another has made, without its original, in the shared tier")
    func sharedResult() async throws {
        let server = try await TestEngine()
        let (first, second) = (try Machine(server, storesFirst: true), try Machine(server, storesFirst: true))
        let url = try url()
        first.transport.setRoute(url, .init(body: try png()))
        #expect(try await first.width(url, size(16, keepsOriginal: false)) == 16)
        await first.pipeline.cache.flush()
        #expect(try await second.width(url, size(16, keepsOriginal: false)) == 16)
        #expect(second.transport.startedCount == 0)
    }

    @Test("remove an image from memory and disk when one of them removes it")
    func removal() async throws {
        let server = try await TestEngine()
        let machines = try (0..<3).map { _ in try Machine(server, storesFirst: true) }
        for machine in machines { await machine.ready() }
        let url = try url()
        for machine in machines {
            machine.transport.setRoute(url, .init(body: try png()))
            _ = try await machine.width(url)
            await machine.pipeline.cache.flush()
        }
        let request = ImageRequest(url)
        let tiers = await machines[0].pipeline.cache.tiers(with: request)
        #expect(tiers == .all)
        #expect(machines.map(\.transport.startedCount) == [1, 0, 0], "the others find it in the tier")
        try await machines[0].pipeline.cache.remove(for: request)
        for machine in machines {
            #expect(await eventually { await machine.pipeline.cache.tiers(with: request).isEmpty })
        }
        // The next load asks the server, once in the fleet.
        let count = machines.map(\.transport.startedCount).reduce(0, +)
        for machine in machines { _ = try await machine.width(url) }
        #expect(machines.map(\.transport.startedCount).reduce(0, +) == count + 1)
    }

    /// The number of removals that the machines were told of.
    private func toldCount(_ server: TestEngine) throws -> Int64? {
        try server.send("XLEN", "\(TestFleet.secret().prefix):{log}").number
    }

    /// The position of the newest of those.
    private func newestRemoval(_ server: TestEngine) throws -> String? {
        try server.send("HGET", "\(TestFleet.secret().prefix):{log}:state", "log").text
    }

    @Test("tell each other of no transfer of an image that none of them has, and keep results of the program")
    func coldTransfers() async throws {
        let server = try await TestEngine()
        let (first, second) = (try Machine(server, storesFirst: true), try Machine(server, storesFirst: true))
        for machine in [first, second] { await machine.ready() }
        let url = try url()
        let request = ImageRequest(url, options: size(16, keepsOriginal: false))
        let cache = second.pipeline.cache
        _ = try await cache.store(try ImageCodecs.standard.decode(png(16, 12)), for: request)
        await cache.flush()
        let before = await cache.tiers(with: request)
        #expect(before.contains(.disk))
        let count = try toldCount(server)
        for url in [url, try self.url(), try self.url()] {
            first.transport.setRoute(url, .init(body: try png()))
            #expect(try await first.width(url, size(24)) == 24)
        }
        await first.pipeline.cache.flush()
        #expect(first.transport.startedCount == 3)
        #expect(try toldCount(server) == count)
        #expect(await cache.tiers(with: request) == before)
    }

    @Test("tell each other of an original that has changed, also where only results of it are shared")
    func changedOriginal() async throws {
        let server = try await TestEngine()
        let (first, second) = (try Machine(server, storesFirst: true), try Machine(server, storesFirst: true))
        for machine in [first, second] { await machine.ready() }
        let url = try url()
        first.transport.setRoute(url, .init(body: try png(seed: 1)))
        #expect(try await first.width(url, size(16, keepsOriginal: false)) == 16)
        await first.pipeline.cache.flush()
        let request = ImageRequest(url, options: size(16, keepsOriginal: false))
        #expect(await first.pipeline.cache.tiers(with: request) == .all)
        second.transport.setRoute(url, .init(body: try png(seed: 3)))
        #expect(try await second.width(url, size(24, keepsOriginal: false)) == 24)
        #expect(second.transport.startedCount == 1)
        #expect(await eventually { await first.pipeline.cache.tiers(with: request).isEmpty })
    }

    @Test("keep what a forced refresh has brought to an empty one from an older transfer of another")
    func refreshDuringTransfer() async throws {
        let server = try await TestEngine()
        let (first, second) = (try Machine(server, storesFirst: true), try Machine(server, storesFirst: true))
        for machine in [first, second] { await machine.ready() }
        let url = try url()
        second.transport.setRoute(url, nil)
        let older = Task { try await second.width(url) }
        let transfer = await second.transport.nextTransfer()
        first.transport.setRoute(url, .init(body: try png(32, 24)))
        #expect(try await first.width(url, [.forceRefresh]) == 32)
        await first.pipeline.cache.flush()
        #expect(try toldCount(server) == 1)
        let told = try #require(RemovalPosition(try newestRemoval(server)))
        #expect(await eventually(within: .seconds(20)) { second.tier.removals.heard >= told })
        transfer.respond(status: 200)
        transfer.send(try png(64, 48))
        transfer.finish()
        #expect(try await older.value == 64)
        await second.pipeline.cache.flush()
        // Whatever the second has told, the first has made.
        let last = try await second.tier.removals.publish(.name("https://images.example/last"))
        #expect(await eventually { first.tier.removals.heard >= last })
        #expect(try await first.width(url, [.onlyFromCache]) == 32)
        #expect(try await second.width(url) == 32)
        #expect(first.transport.startedCount == 1 && second.transport.startedCount == 1)
    }

    @Test("make the removals that they have missed while they were not running")
    func restart() async throws {
        let server = try await TestEngine()
        let folder = "/tmp/halcyon-fleet-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let other = try Machine(server, storesFirst: true)
        await other.ready()
        let url = try url()
        let request = ImageRequest(url)
        var machine: Machine? = try Machine(server, storesFirst: true, folder: folder)
        let isGone = { [weak tier = machine?.tier] in tier == nil }
        await machine?.ready()
        machine?.transport.setRoute(url, .init(body: try png()))
        _ = try await machine?.width(url)
        await machine?.pipeline.cache.flush()
        let record = RemovalRecord(in: folder, prefix: try TestFleet.secret().prefix)
        let isKnown = await eventually {
            if case .known = record.position { true } else { false }
        }
        #expect(isKnown)
        #expect(await machine?.pipeline.cache.tiers(with: request).contains(.disk) == true)
        machine = nil
        #expect(await eventually { isGone() })
        try await other.pipeline.cache.remove(for: request)
        let next = try Machine(server, storesFirst: true, folder: folder)
        await next.ready()
        #expect(await eventually { await next.pipeline.cache.tiers(with: request).isEmpty })
    }

    @Test("record no removal that a cache has not made")
    func abandonedCache() async throws {
        let server = try await TestEngine()
        let folder = "/tmp/halcyon-fleet-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (tier, other) = (try TestFleet.tier(server.url), try TestFleet.tier(server.url))
        let record = RemovalRecord(in: folder, prefix: try TestFleet.secret().prefix)
        var cache: ImageCache? = ImageCache(disk: .init(folder: folder), memoryCostLimit: 1 << 20)
        let isGone = { [weak cache] in cache == nil }
        tier.follow(try #require(cache))
        let isKnown = await eventually {
            if case .known = record.position { true } else { false }
        }
        #expect(isKnown)
        let before = record.position
        cache = nil
        #expect(await eventually { isGone() })
        let position = try await other.removals.publish(.name("a"))
        #expect(await eventually { tier.removals.heard >= position })
        #expect(record.position == before)
    }

    @Test("count images of a queue as shared that others find, and as local where the shared tier was not there")
    func prefetching() async throws {
        let server = try await TestEngine()
        let gone = try await TestEngine()
        let (first, second) = (try Machine(server), try Machine(gone, storesFirst: true))
        let sharing = try Machine(server, storesFirst: true)
        gone.kill()
        for (machine, localCount) in [(sharing, 0), (second, 1)] {
            let url = try url()
            machine.transport.setRoute(url, .init(body: try png()))
            let queue = PrefetchQueue(try TestFleet.engine(server.url), name: "\(localCount)")
            try await queue.add([PrefetchJob(source: url.absoluteString)])
            let summary = try await queue.work(on: machine.pipeline, shared: machine.tier)
            #expect(summary.doneCount == 1 && summary.localCount == localCount)
        }
        // One that no cache keeps is no image that is done.
        let url = try url()
        first.transport.setRoute(url, .init(headers: [.cacheControl: "no-store"], body: try png()))
        var configuration = PrefetchQueue.Configuration()
        configuration.attemptLimit = 1
        let queue = PrefetchQueue(try TestFleet.engine(server.url), name: "unkept", configuration: configuration)
        try await queue.add([PrefetchJob(source: url.absoluteString)])
        let summary = try await queue.work(on: first.pipeline, shared: first.tier)
        #expect(summary.doneCount == 0 && summary.failureCount == 1)
        #expect(try await queue.progress().failedCount == 1)
    }

    @Test("try an image of a queue again that no cache has in the end, as it may have been removed meanwhile")
    func prefetchingAgain() async throws {
        let server = try await TestEngine()
        let machine = try Machine(server, storesFirst: true)
        let (url, body) = (try url(), try png())
        var configuration = PrefetchQueue.Configuration()
        (configuration.idleTime, configuration.attemptLimit) = (.milliseconds(300), 100)
        let queue = PrefetchQueue(try TestFleet.engine(server.url), configuration: configuration)
        try await queue.add([PrefetchJob(source: url.absoluteString)])
        let attempts = Lock(0)
        let summary = try await queue.work(on: machine.pipeline, shared: machine.tier) { _ in
            let number = attempts.withLock { count in
                count += 1
                return count
            }
            machine.transport.setRoute(url, .init(headers: number == 1 ? [.cacheControl: "no-store"] : [:], body: body))
            return ImageRequest(url)
        }
        #expect(summary.doneCount == 1 && summary.failureCount == 1)
        #expect(try await queue.progress().failedCount == 0)
    }

    @Test("load as if there were no fleet where the engine is gone")
    func noEngine() async throws {
        let server = try await TestEngine()
        let machine = try Machine(server)
        await machine.ready()
        server.kill()
        for _ in 0..<5 {
            let url = try url()
            machine.transport.setRoute(url, .init(body: try png()))
            #expect(try await machine.width(url) == 64)
        }
    }
}
