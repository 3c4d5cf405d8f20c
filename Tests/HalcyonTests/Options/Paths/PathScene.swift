import FoundationEssentials
import HalcyonSystem
import HalcyonTesting

@testable import Halcyon

/// A pipeline with the caches and the source of one way, for one load.
final class PathScene: Sendable {
    let path: LoadPath
    let setup: PathSetup
    /// The cache, the downloader's transport and the counter that options may name.
    let other: ImageCache
    let otherTransport = ScriptedTransport()
    let hookCalls = CallCounter()

    private let test: TestPipeline
    private let clock = ManualStoreClock()
    private let network = ManualNetwork()
    private let base = Sample.url().absoluteString
    private let folder = TestPipeline.temporaryPath()
    private let isFailing = Lock(false)

    /// The image in place of one that fails.
    static let replacement = Source.data(Sample.png(30, 20, seed: 77))

    init(_ path: LoadPath, _ setup: PathSetup) throws {
        self.path = path
        self.setup = setup
        let codecs = [PathDecoder.gray, .png].reduce(ImageCodecs.standard) {
            $0.registering(decoder: PathDecoder(format: $1))
        }
        test = TestPipeline(codecs: codecs, clock: clock.clock, recovery: RecoveryConfiguration(network: network))
        var disk = DiskCache.Configuration(folder: folder + "/other")
        disk.clock = clock.clock
        disk.sweepInterval = nil
        other = ImageCache(disk: disk, memoryCostLimit: 1 << 20, memoryPressure: nil)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try setup.content.data.write(to: URL(filePath: folder + "/file"))
        otherTransport.setAnswer { [data = setup.content.data] _ in .init(body: data) }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Returns what the load with these options gave.
    func outcome(with own: [ImageOption]) async throws -> PathOutcome {
        try await prepare()
        let request = ImageRequest(try source(), options: common + own)
        var outcome = PathOutcome()
        let transfersBefore = test.transport.startedCount
        do {
            try await load(request, &outcome)
        } catch let error as ImageError {
            outcome.answer.error = error.code
        }
        await test.settle()
        await other.flush()
        let sent = test.transport.transfers.dropFirst(transfersBefore)
        outcome.transfers = sent.count
        outcome.answer.transfers = path == .joined ? nil : sent.count
        outcome.sent = sent.last?.request
        outcome.sentPriority = sent.last?.priority
        outcome.otherTransfers = otherTransport.startedCount
        outcome.hookCalls = hookCalls.value
        try await examine(request, &outcome)
        return outcome
    }

    private var pipeline: ImagePipeline { test.pipeline }

    /// The options that all loads have.
    private var common: [ImageOption] {
        var options: [ImageOption] = []
        if setup.isProcessed || path == .storedResult || path == .storedOriginal { options.append(Self.crop) }
        if setup.keepsOriginal { options.append(.cacheOriginalImage) }
        return options
    }

    private static let crop = ImageOption.processor(.crop(to: .pixels(8, 6), anchor: .topLeft))

    private func source(query: Int = 1) throws -> Source {
        switch path {
        case .provider:
            return .closure(cacheKey: "provider") { [isFailing, data = setup.content.data] in
                if isFailing.withLock({ $0 }) { throw CocoaError(.fileReadUnknown) }
                return data
            }
        case .file:
            return .file(folder + "/file", cacheKey: "file")
        default:
            guard let url = URL(string: "\(base)?v=\(query)") else { throw CocoaError(.fileReadInvalidFileName) }
            return .url(url)
        }
    }

    private func serve() {
        let body = setup.content.data
        let isFailing = isFailing
        test.transport.setAnswer { _ in
            isFailing.withLock { $0 } ? .init(status: 503) : .init(headers: [.contentType: "image/png"], body: body)
        }
    }

    /// Fills the caches as the way says, and lets some time pass.
    private func prepare() async throws {
        if path != .joined { serve() }
        switch path {
        case .memory, .lookUp, .storedResult:
            _ = try await pipeline.response(for: ImageRequest(source(), options: common + [.waitForCache]))
        case .storedOriginal, .blockingLookUp:
            _ = try await pipeline.response(for: ImageRequest(source(), options: [.waitForCache]))
        case .network, .provider, .file, .joined, .encoded, .prefetch:
            break
        }
        await test.settle()
        switch path {
        case .memory, .lookUp:
            clock.advance(by: 200)
        case .storedResult, .storedOriginal, .blockingLookUp:
            pipeline.cache.removeAllFromMemory()
            clock.advance(by: 4 * 86_400)
        case .network, .provider, .file, .joined, .encoded, .prefetch:
            break
        }
        network.status.isMetered = setup.isMetered
        guard setup.fails else { return }
        isFailing.withLock { $0 = true }
        if path == .file { try FileManager.default.removeItem(atPath: folder + "/file") }
    }

    private func load(_ request: ImageRequest, _ outcome: inout PathOutcome) async throws {
        var response: ImageResponse?
        switch path {
        case .memory, .storedResult, .storedOriginal, .network, .provider, .file:
            response = try await pipeline.response(for: request)
        case .joined:
            response = try await joinedResponse(for: request)
        case .lookUp:
            response = pipeline.responseFromMemory(for: request)
        case .blockingLookUp:
            let pipeline = pipeline
            response = try await onThread { pipeline.responseFromCache(for: request) }
        case .encoded:
            let encoded = try await pipeline.encoded(for: request, as: .format(.png))
            let options = DecodeOptions(keepsSixteenBits: true)
            outcome.answer.image = .init(try ImageCodecs.standard.decode(encoded.data, options: options))
            outcome.answer.source = encoded.source
            outcome.hasWaited = encoded.timings.store != nil
        case .prefetch:
            let prefetcher = ImagePrefetcher(requests: [request], pipeline: pipeline, destination: .disk)
            let result = await prefetcher.run()
            outcome.answer.prefetched = [result.completed.count, result.skipped.count]
            outcome.answer.error = result.failed.first.map { $0.error?.code ?? "stopped" }
        }
        guard let response else { return }
        outcome.answer.image = .init(response.image)
        outcome.answer.source = response.source
        outcome.answer.hasData = response.data != nil
        outcome.hasWaited = response.timings.store != nil
    }

    /// Returns the response to a request that comes while an equal one without its options waits for its server.
    private func joinedResponse(for request: ImageRequest) async throws -> ImageResponse {
        let first = pipeline.task(for: ImageRequest(try source(), options: common))
        let transfer = await test.transport.nextTransfer()
        serve()
        let second = pipeline.task(for: request)
        await eventually { [self] in hasJoined(second) }
        let body = setup.content.data
        transfer.answer(setup.fails ? .init(status: 503) : .init(headers: [.contentType: "image/png"], body: body))
        _ = try? await first.response
        return try await second.response
    }

    /// Returns whether a task shares work with the first, or has begun its own, or has ended.
    private func hasJoined(_ task: ImageTask) -> Bool {
        // The first waits for its server, so what it has told those who joined is that its transfer has begun.
        if case .running(.load) = task.state { return true }
        return task.state.hasEnded || test.transport.startedCount > 1 || otherTransport.startedCount > 0
    }

    /// Looks at the caches, at once, minutes and days later.
    private func examine(_ request: ImageRequest, _ outcome: inout PathOutcome) async throws {
        let cache = pipeline.cache
        outcome.memoryCount = cache.memoryStatistics.count
        outcome.diskCount = try await cache.diskStatistics().count
        outcome.otherCount = try await other.memoryStatistics.count + other.diskStatistics().count
        outcome.plain = try await tiers(ImageRequest(source(), options: common))
        if request.source.isNamedByAddress {
            outcome.sibling = try await tiers(ImageRequest(source(query: 2), exactly: request.options))
        }
        outcome.isInMemory = isInMemory(request)
        clock.advance(by: 200)
        outcome.isInMemoryLater = isInMemory(request)
        clock.advance(by: 4 * 86_400)
        try await cache.removeExpired()
        outcome.diskCountLater = try await cache.diskStatistics().count
    }

    private func isInMemory(_ request: ImageRequest) -> Bool {
        guard path == .encoded else { return pipeline.cache.isInMemory(request) }
        return pipeline.encodedFromMemory(for: request, as: .format(.png)) != nil
    }

    private func tiers(_ request: ImageRequest) async -> ImageCache.Tiers {
        if path == .encoded { return isInMemory(request) ? .memory : [] }
        return await pipeline.cache.tiers(with: request)
    }
}
