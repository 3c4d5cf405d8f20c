import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An image in memory of another size than that of the request")
struct SizePrecisionTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    init() {
        test.transport.serve(url, Sample.png(64, 48))
    }

    private func options(_ width: Int, _ others: [ImageOption] = [.precision(.inexact)]) -> [ImageOption] {
        [.targetSize(.pixels(width: width))] + others
    }

    private func found(_ options: [ImageOption]) -> PixelSize? {
        test.pipeline.responseFromMemory(for: url, options: options)?.image.size
    }

    @Test("answers an inexact request if it is larger, as it is, and never an exact one")
    func larger() async throws {
        _ = try await test.pipeline.image(from: url, options: options(32))
        #expect(found(options(16)) == PixelSize(32, 24))
        #expect(found(options(32)) == PixelSize(32, 24))
        #expect(found(options(16, [])) == nil)
        let height: [ImageOption] = [.targetSize(.points(height: 10)), .scaleFactor(2), .precision(.inexact)]
        #expect(found(height) == PixelSize(32, 24))
        #expect(try await test.pipeline.response(for: url, options: options(20)).source == .memory)
        let other = ImageRequest(Sample.url(), options: options(16))
        #expect(test.pipeline.responseFromMemory(for: other) == nil)
    }

    @Test("does not answer if it is smaller, unless it is the whole image")
    func smaller() async throws {
        _ = try await test.pipeline.image(from: url, options: options(32))
        #expect(found(options(33)) == nil)
        #expect(found(options(64)) == nil)
        // A target that is larger than the image makes the whole of it.
        _ = try await test.pipeline.image(from: url, options: options(100))
        #expect(found(options(64)) == PixelSize(64, 48))
        #expect(found(options(1_000)) == PixelSize(64, 48))
    }

    @Test("is the smallest that is large enough, or else the image without a size")
    func best() async throws {
        for width in [48, 24, 36] { _ = try await test.pipeline.image(from: url, options: options(width, [])) }
        #expect(found(options(20))?.width == 24)
        #expect(found(options(30))?.width == 36)
        #expect(found(options(50)) == nil)
        _ = try await test.pipeline.image(from: url)
        #expect(found(options(50)) == PixelSize(64, 48))
        #expect(found(options(30))?.width == 36)
    }

    @Test("does not answer once it was removed, evicted or expired")
    func gone() async throws {
        let cache = test.pipeline.cache
        func load() async throws {
            _ = try await test.pipeline.image(from: url, options: options(32))
            // Nothing holds its pixels any more then.
            await test.settle()
        }
        try await load()
        cache.removeAllFromMemory()
        #expect(found(options(16)) == nil)
        try await load()
        cache.trimMemory()
        #expect(found(options(16)) == nil)
        try await load()
        try await cache.remove(for: ImageRequest(url))
        #expect(found(options(16)) == nil)
        _ = try await test.pipeline.image(from: url, options: options(32, [.memoryCacheExpiration(.expired)]))
        #expect(found(options(16)) == nil)
    }

    @Test("does not answer with other processors or decode options, or where a processor depends on the size")
    func otherOptions() async throws {
        let round = ImageOption.processor(.roundCorners(radius: .pixels(3)))
        let circle = ImageOption.processor(.roundCorners(radius: .widthFraction(0.5)))
        let inexact = ImageOption.precision(.inexact)
        for other in [[round], [circle], [.color(.asStored)]] as [[ImageOption]] {
            _ = try await test.pipeline.image(from: url, options: options(32, other))
            #expect(found(options(16)) == nil)
        }
        #expect(found(options(16, [round, inexact])) == nil)
        #expect(found(options(16, [circle, inexact])) == PixelSize(32, 24))
        #expect(found(options(16, [.color(.asStored), inexact])) == PixelSize(32, 24))
    }

    @Test("is not what an encoded image, or another exact load, is made of")
    func exactWork() async throws {
        _ = try await test.pipeline.image(from: url, options: options(32))
        let encoded = try await test.pipeline.encoded(for: url, as: .format(.png), options: options(16))
        #expect(encoded.size == PixelSize(16, 12))
        #expect(try await test.pipeline.image(from: url, options: options(16, [])).size == PixelSize(16, 12))
        #expect(try ImageWorkKey(resolved(options(8, []))) != ImageWorkKey(resolved(options(8))))
    }

    private func resolved(_ options: [ImageOption]) throws -> ResolvedRequest {
        try #require(test.pipeline.stages.resolver.begin(ImageRequest(url, options: options)).resolved)
    }

    @Test("is found in the memory of a bare cache as well, and where another cache is named, in that alone")
    func caches() async throws {
        _ = try await test.pipeline.image(from: url, options: options(32))
        let cache = test.pipeline.cache
        let request = ImageRequest(url, options: options(16))
        #expect(cache.entryInMemory(for: request)?.image.size == PixelSize(32, 24))
        #expect(try await cache.entry(for: request)?.image.size == PixelSize(32, 24))
        let named = options(16) + [.targetCache(cache)]
        #expect(found(named) == PixelSize(32, 24))
        let other = ImageCache(disk: .init(folder: test.folder + "/other"), memoryPressure: nil)
        #expect(found(options(16) + [.targetCache(other)]) == nil)
    }

    @Test("of a file and of a provider answers a load")
    func otherSources() async throws {
        let path = TestPipeline.temporaryPath() + ".png"
        try Sample.png(64, 48).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        for source in [Source.file(path), .closure(cacheKey: "closure") { Sample.png(64, 48) }] {
            _ = try await test.pipeline.image(from: ImageRequest(source, options: options(32)))
            let response = try await test.pipeline.response(for: ImageRequest(source, options: options(16)))
            #expect(response.source == .memory && response.image.size == PixelSize(32, 24))
        }
    }

    @Test("is of the same frame of a video")
    func videoFrames() async throws {
        let cache = test.pipeline.cache
        let image = try ImageCodecs.standard.decode(Sample.png(32, 24))
        let frame = Source.videoFrame(of: url, at: .seconds(5))
        let other = Source.videoFrame(of: url, at: .seconds(6))
        #expect(try await cache.store(image, for: ImageRequest(frame, options: options(32))))
        #expect(found(options(16)) == nil)
        for source in [Source.url(url), other] {
            #expect(cache.entryInMemory(for: ImageRequest(source, options: options(16))) == nil)
        }
        let request = ImageRequest(frame, options: options(16))
        #expect(cache.entryInMemory(for: request)?.image.size == PixelSize(32, 24))
        #expect(test.pipeline.responseFromMemory(for: request)?.image.size == PixelSize(32, 24))
        _ = try await test.pipeline.image(from: url, options: options(32))
        #expect(found(options(16)) == PixelSize(32, 24))
        #expect(cache.entryInMemory(for: ImageRequest(other, options: options(16))) == nil)
    }

    private func variant(_ number: Int) -> ImageKey.Variant {
        var decode = DecodePolicy()
        decode.frame = number
        return ImageKey.Variant(decode: decode, steps: [])
    }

    @Test("is looked for among a bounded number of sizes and images")
    func bound() {
        func key(_ text: String) -> ImageKey { ImageKey(original: OriginalKey(text: text), variant: nil) }
        var index = ImageSizeIndex()
        for size in 1...40 { index.insert(variant(size), size, of: key("a")) }
        #expect(index.variants(of: key("a")) == (25...40).map(variant))
        index.remove(variant(30), of: key("a"))
        index.insert(variant(31), 100, of: key("a"))
        #expect(index.variants(of: key("a")).count == 15 && index.variants(of: key("a")).last == variant(31))
        for number in 0..<5_000 { index.insert(variant(1), 1, of: key("image \(number)")) }
        #expect(index.count == ImageSizeIndex.limits.images && index.variants(of: key("a")).isEmpty)
        index.remove(variant(1), of: key("image 4999"))
        #expect(index.variants(of: key("image 4999")).isEmpty)
    }

    @Test("is looked for without a copy of its name, which may be the whole of a data: URL")
    func names() {
        func holdsName(_ value: Any) -> Bool {
            value is ImageKey || value is String || Mirror(reflecting: value).children.contains { holdsName($0.value) }
        }
        let image = ImageKey(original: OriginalKey(text: "data:,"), variant: nil)
        var index = ImageSizeIndex()
        index.insert(variant(1), 1, of: image)
        #expect(index.variants(of: image) == [variant(1)] && holdsName([image]))
        #expect(!holdsName(index))
    }
}
