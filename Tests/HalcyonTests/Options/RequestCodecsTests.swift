import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Codecs of a request")
struct RequestCodecsTests {
    private let test = TestPipeline()
    private let url = Sample.url()
    private let crop = ImageOption.processor(.crop(to: .pixels(8, 6), anchor: .topLeft))

    private func codecs(_ seed: Int) -> ImageCodecs {
        ImageCodecs.standard.registering(decoder: SeededDecoder(seed: seed))
    }

    private func seed(_ response: ImageResponse?) -> UInt8? { response?.image.bitmap.pixel(0, 0)[0] }

    init() {
        test.transport.serve(url, Sample.png(seed: 1))
    }

    @Test("decode the image, which others do not get from memory or from disk", arguments: [nil, "seeds-1"])
    func apart(name: String?) async throws {
        let own: [ImageOption] = [.codecs(codecs(2), cacheIdentity: name)]
        for options in [[], [crop]] {
            #expect(try await seed(test.pipeline.response(for: url, options: own + options)) == 2)
            await test.settle()
            #expect(test.pipeline.responseFromMemory(for: url, options: options) == nil)
            #expect(try await seed(test.pipeline.response(for: url, options: options)) == 1)
            #expect(seed(test.pipeline.responseFromMemory(for: url, options: own + options)) == 2)
            await test.settle()
            test.pipeline.cache.removeAllFromMemory()
            #expect(try await seed(test.pipeline.response(for: url, options: options)) == 1)
            #expect(try await seed(test.pipeline.response(for: url, options: own + options)) == 2)
        }
        // The original is one, whoever decodes it.
        #expect(test.transport.startedCount == 1)
    }

    @Test("with a name are found again on disk by values with that name, without one by none")
    func names() async throws {
        let unnamed: [ImageOption] = [.codecs(codecs(2)), crop, .waitForCache]
        _ = try await test.pipeline.response(for: url, options: unnamed)
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
        let named: [ImageOption] = [.codecs(codecs(2), cacheIdentity: "seeds-1"), crop, .waitForCache]
        _ = try await test.pipeline.response(for: url, options: named)
        #expect(try await test.pipeline.cache.diskStatistics().count == 1)
        test.pipeline.cache.removeAllFromMemory()
        let again: [ImageOption] = [.codecs(codecs(2), cacheIdentity: "seeds-1"), crop]
        let found = try await test.pipeline.response(for: url, options: again)
        #expect(found.source == .disk && seed(found) == 2)
        #expect(test.pipeline.responseFromMemory(for: url, options: unnamed) == nil)
    }

    @Test("without a name are stored on disk by no call")
    func storing() async throws {
        let options: [ImageOption] = [.codecs(codecs(2)), crop]
        let image = try await test.pipeline.image(from: url, options: options)
        await test.settle()
        let request = ImageRequest(url, options: options)
        #expect(try await !test.pipeline.cache.store(image, for: request))
        #expect(await test.pipeline.cache.tiers(with: request) == .memory)
    }

    @Test("are equal to their copies and to those of the same name")
    func equality() {
        let (one, other) = (CustomCodecs(.standard), CustomCodecs(.standard))
        let copy = one
        #expect(one == copy && one != other && one.hashValue == copy.hashValue)
        let (named, same) = (CustomCodecs(.standard, cacheIdentity: "a"), CustomCodecs(codecs(1), cacheIdentity: "a"))
        #expect(named == same && named.hashValue == same.hashValue && named != one)
        #expect(named != CustomCodecs(.standard, cacheIdentity: "b"))
    }

    @Test("share a transfer with others, and no decoding")
    func sharing() async throws {
        test.transport.setRoute(url, nil)
        let own: [ImageOption] = [.codecs(codecs(2))]
        let tasks = [own, own, []].map { test.pipeline.task(for: url, options: $0) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 3 }
        transfer.answer(.init(body: Sample.png(seed: 1)))
        for (task, expected) in zip(tasks, [2, 2, 1] as [UInt8]) {
            #expect(try await task.image.bitmap.pixel(0, 0)[0] == expected)
        }
        #expect(test.transport.startedCount == 1)
    }

    @Test("that cannot read an original neither remove it from disk nor make others fail")
    func failure() async throws {
        let test = TestPipeline(recovery: RecoveryConfiguration(failureMemory: FailureMemory()))
        test.transport.serve(url, Sample.png(seed: 1))
        let none: [ImageOption] = [.codecs(ImageCodecs(decoders: [RefusingDecoder()]))]
        await #expect(throws: ImageError.self) { try await test.pipeline.response(for: url, options: none) }
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        await #expect(throws: ImageError.self) { try await test.pipeline.response(for: url, options: none) }
        let request = ImageRequest(url, options: none)
        _ = try? await test.pipeline.cache.entry(for: request)
        await test.settle()
        #expect(try await test.pipeline.cache.diskStatistics().count == 1)
    }

    @Test("decode what a cache has, and what a provider returns")
    func otherSources() async throws {
        let options: [ImageOption] = [.codecs(codecs(5), cacheIdentity: "seeds")]
        let source = Source.data(Sample.png(), cacheKey: "bytes")
        let request = ImageRequest(source, options: options)
        #expect(try await seed(test.pipeline.response(for: request)) == 5)
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        let entry = try await test.pipeline.cache.entry(for: ImageRequest(url, options: options))
        #expect(entry?.image.bitmap.pixel(0, 0)[0] == 5)
    }
}

/// Calls every file damaged.
private struct RefusingDecoder: ImageDecoder {
    var format: ImageFormat { .png }

    func recognizes(_ prefix: Data) -> Bool { true }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        throw .corrupt(.png, reason: "refused")
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        throw CodecError.corrupt(.png, reason: "refused")
    }
}

/// Reads PNG, and shows a sample of its size instead.
struct SeededDecoder: ImageDecoder {
    let seed: Int

    var format: ImageFormat { .png }

    func recognizes(_ prefix: Data) -> Bool { PNGDecoder().recognizes(prefix) }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try PNGDecoder().info(of: data, limits: limits)
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let info = try info(of: data, limits: options.limits)
        return DecodedImage(bitmap: Sample.bitmap(info.size.width, info.size.height, seed: seed), info: info)
    }
}
