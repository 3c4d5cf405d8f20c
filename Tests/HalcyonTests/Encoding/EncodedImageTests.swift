import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An encoded image")
struct EncodedImageTests {
    private let encoded = EncodedTest()
    private let crop = ImageOption.processor(.crop(to: .pixels(20, 10)))

    @Test("is the processed image in the format, with its media type, size and provenance")
    func value() async throws {
        let original = Sample.png()
        encoded.transport.serve(encoded.url, original)
        let image = try await encoded.encoded(.format(.webp, EncodeOptions(quality: nil)), [crop])
        #expect(image.format == .webp && image.mediaType == "image/webp")
        #expect(image.size == PixelSize(20, 10))
        #expect(image.source == .network && image.originalByteCount == original.count)
        #expect(image.originalInfo.format == .png && image.originalInfo.size == PixelSize(64, 48))
        #expect(!image.isOriginal && image.metrics != nil)
        #expect(image.timings.encode != nil && image.timings.decode != nil && image.timings.process != nil)
        #expect(image.timings.total > .zero)
        let pixels = try await encoded.pipeline.image(from: encoded.url, options: [crop])
        let decoded = try ImageCodecs.standard.decode(image.data)
        #expect(decoded.bitmap.hasSamePixels(as: pixels.bitmap))
    }

    @Test("has a strong entity tag of its bytes")
    func entityTag() async throws {
        encoded.transport.serve(encoded.url, Sample.png())
        let first = try await encoded.encoded()
        encoded.forgetMemory()
        let stored = try await encoded.encoded()
        let other = try await encoded.encoded(.format(.webp, EncodeOptions(quality: 40)))
        #expect(stored.source == .disk && stored.entityTag == first.entityTag)
        #expect(other.entityTag != first.entityTag)
        #expect(first.entityTag.count == 18 && first.entityTag.first == "\"" && first.entityTag.last == "\"")
    }

    @Test("is kept in memory as bytes alone, at their cost, and returned from there without suspending")
    @MainActor
    func memory() async throws {
        encoded.transport.serve(encoded.url, Sample.encoded(Sample.noise(200, 100), .png))
        let first = try await encoded.encoded()
        let statistics = encoded.cache.memoryStatistics
        #expect(statistics.count == 1)
        #expect(statistics.cost >= first.data.count && statistics.cost < first.data.count + 2_000)
        let request = ImageRequest(encoded.url)
        #expect(encoded.pipeline.responseFromMemory(for: request) == nil)
        let found = try #require(encoded.pipeline.encodedFromMemory(for: request, as: .format(.webp)))
        #expect(found.source == .memory && firstDifference(found.data, first.data) == nil)
        // Had the call suspended, the task would have run on this actor meanwhile.
        let hasRun = Lock(false)
        let task = Task { @MainActor in hasRun.withLock { $0 = true } }
        let again = try await encoded.pipeline.encoded(for: request, as: .format(.webp))
        let hasSuspended = hasRun.withLock { $0 }
        #expect(again.source == .memory && !hasSuspended)
        await task.value
        #expect(encoded.encodeCount == 1)
    }

    @Test("is found on disk after a restart, without being decoded or encoded")
    func restart() async throws {
        encoded.transport.serve(encoded.url, Sample.png())
        let first = try await encoded.encoded(.format(.webp), [crop])
        #expect(try await encoded.diskCount() == 1)
        let cache = ImageCache(disk: DiskCache.Configuration(folder: encoded.test.folder))
        let transport = ScriptedTransport()
        let codecs = ImageCodecs.observed { _, _ in Issue.record("a codec was called") }
        let later = ImagePipeline(
            configuration: .init(
                downloader: ImageDownloader(transport: transport),
                cache: cache,
                // The same types of encoders.
                codecs: codecs
            )
        )
        let image = try await later.encoded(for: encoded.url, as: .format(.webp), options: [crop, .onlyFromCache])
        #expect(image.source == .disk && image.size == PixelSize(20, 10) && image.format == .webp)
        #expect(image.originalInfo.size == PixelSize(64, 48) && image.originalByteCount == first.originalByteCount)
        #expect(firstDifference(image.data, first.data) == nil)
        #expect(transport.startedCount == 0)
        #expect(cache.memoryStatistics.count == 1)
    }

    @Test("is encoded from the processed image that memory or disk has, and that is not stored again")
    func processedImage() async throws {
        encoded.transport.serve(encoded.url, Sample.png())
        _ = try await encoded.pipeline.response(for: encoded.url, options: [crop])
        await encoded.test.settle()
        #expect(try await encoded.encoded(.format(.webp), [crop]).source == .memory)
        encoded.forgetMemory()
        #expect(try await encoded.encoded(.format(.jpeg), [crop]).source == .disk)
        #expect(encoded.transport.startedCount == 1)
        // The processed image and its two encoded forms; in memory the later one.
        #expect(try await encoded.diskCount() == 3)
        #expect(encoded.cache.memoryStatistics.count == 1)
    }

    @Test("is stored where the options say")
    func storing() async throws {
        encoded.transport.serve(encoded.url, Sample.png())
        _ = try await encoded.encoded(.format(.webp), [.noCache])
        #expect(encoded.cache.memoryStatistics.count == 0)
        #expect(try await encoded.diskCount() == 0)
        let waited = try await encoded.pipeline.encoded(for: encoded.url, as: .format(.webp), options: [.waitForCache])
        #expect(waited.timings.store != nil)
        #expect(try await encoded.diskCount() == 1)
        #expect(encoded.cache.memoryStatistics.count == 1)
        _ = try await encoded.encoded(.format(.jpeg), [.cacheOriginalImage])
        #expect(try await encoded.diskCount() == 3)
    }

    @Test("has a key of its own for each format, option, processor, scope and encoder")
    func keys() async throws {
        encoded.transport.serve(encoded.url, Sample.png())
        let formats: [EncodedImageFormat] = [
            .format(.webp, EncodeOptions(quality: 80)), .format(.webp, EncodeOptions(quality: 81)),
            .format(.webp, EncodeOptions(quality: nil)), .format(.jpeg, EncodeOptions(quality: 80)),
            .format(.jpeg, EncodeOptions(quality: 80, background: .black)),
            .format(.jpeg, EncodeOptions(quality: 80, maximumByteCount: 100_000)),
            .format(.jpeg, EncodeOptions(quality: 80, metadata: ImageMetadata())), .original(),
            .accepted(by: "image/jpeg, image/png"), .accepted(by: "image/webp"),
        ]
        _ = try await encoded.pipeline.response(for: encoded.url)
        for format in formats { #expect(try await encoded.encoded(format).source == .memory) }
        let options: [[ImageOption]] = [[crop], [.cacheScope("a")], [.cacheScope("b")], [.frame(0)]]
        for options in options { _ = try await encoded.encoded(formats[0], options) }
        // An offer of WebP at 80 has the key of WebP at 80; empty metadata is none, and frame 0 the default.
        #expect(encoded.encodeCount == formats.count + options.count - 3)
        let request = ImageRequest(encoded.url)
        for format in formats { #expect(encoded.pipeline.encodedFromMemory(for: request, as: format) != nil) }
    }

    @Test("of other settings of an encoder is another one")
    func encoderSettings() throws {
        func encoding(_ settings: String) throws -> ImageEncoding {
            let encoder = CustomImageEncoder(format: .avif, cacheIdentity: settings) { _, _ in Data() }
            let codecs = ImageCodecs.standard.registering(encoder: encoder)
            return try ImageEncoding(.format(.avif), codecs: codecs, source: "")
        }
        #expect(try encoding("slow") != encoding("fast") && encoding("slow") == encoding("slow"))
        #expect(try encoding("slow") != ImageEncoding(.format(.avif), codecs: .standard, source: ""))
    }

    @Test("with another effort, sampling, order or threads is another one, and of more threads the same")
    func options() throws {
        func encoding(_ options: EncodeOptions) throws -> ImageEncoding {
            try ImageEncoding(.format(.avif, options), codecs: .standard, source: "")
        }
        let options = [
            EncodeOptions(), EncodeOptions(effort: 1), EncodeOptions(effort: 2), EncodeOptions(isProgressive: true),
            EncodeOptions(chromaSampling: .yuv420), EncodeOptions(chromaSampling: .yuv444),
            EncodeOptions(isNearLossless: true), EncodeOptions(threadCount: 2),
        ]
        #expect(try Set(options.map(encoding)).count == options.count)
        #expect(try encoding(EncodeOptions(threadCount: 3)) == encoding(EncodeOptions(threadCount: 2)))
        #expect(try encoding(EncodeOptions(threadCount: 0)) == encoding(EncodeOptions()))
    }

    @Test("of a number of bytes is not attempted again once its work is cancelled")
    func cancelledAttempts() throws {
        let count = Lock(0)
        let encoder = CustomImageEncoder(format: .webp, cacheIdentity: "test") { _, _ in
            count.withLock { $0 += 1 }
            return Data(count: 100)
        }
        let codecs = ImageCodecs.standard.registering(encoder: encoder)
        let format = EncodedImageFormat.format(.webp, EncodeOptions(maximumByteCount: 10))
        let encoding = try ImageEncoding(format, codecs: codecs, source: "")
        let image = DecodedImage(bitmap: Sample.bitmap(8, 8), info: ImageInfo(format: .png, size: PixelSize(8, 8)))
        #expect(throws: CancellationError.self) {
            try encoding.body(of: image, keeping: nil, options: DecodePolicy(), codecs: codecs) {
                count.withLock { $0 } > 0
            }
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("of a format without an encoder is refused before anything is loaded")
    func noEncoder() async throws {
        let error = await encoded.failure(.format(.svg))
        #expect(error?.stage == .encode && error?.code == "unsupported")
        #expect(await encoded.failure(.original(otherwise: .heic))?.code == "unsupported")
        #expect(encoded.transport.startedCount == 0)
        #expect(encoded.pipeline.encodedFromMemory(for: ImageRequest(encoded.url), as: .format(.svg)) == nil)
    }

    @Test("that its format cannot hold is an error of the stage that encodes, and nothing is stored")
    func tooLarge() async throws {
        encoded.transport.serve(encoded.url, Sample.png())
        let wide = ImageOption.processor(.resize(to: .pixels(17_000, 2), mode: .stretch))
        let error = try #require(await encoded.failure(.format(.webp), [wide]))
        #expect(error.stage == .encode)
        guard case .codec(.cannotEncode(.webp, _)) = error.reason else {
            Issue.record("\(error)")
            return
        }
        let tooFew = EncodeOptions(maximumByteCount: 1)
        #expect(await encoded.failure(.format(.png, tooFew))?.code == "tooManyBytes")
        #expect(encoded.cache.memoryStatistics.count == 0)
        #expect(try await encoded.diskCount() == 0)
    }

    @Test("of a transparent one lies on the background in JPEG, and stays transparent in PNG")
    func transparency() async throws {
        encoded.transport.serve(encoded.url, Sample.encoded(Sample.transparent(), .png))
        let jpeg = try await encoded.encoded(.format(.jpeg, EncodeOptions(quality: 100, background: .black)))
        let onBlack = try ImageCodecs.standard.decode(jpeg.data).bitmap
        #expect(onBlack.isOpaque && onBlack.pixel(31, 0).prefix(3).allSatisfy { $0 < 8 })
        let white = try ImageCodecs.standard.decode(await encoded.encoded(.format(.jpeg)).data).bitmap
        #expect(white.pixel(31, 0).prefix(3).allSatisfy { $0 > 247 })
        let png = try ImageCodecs.standard.decode(await encoded.encoded(.format(.png)).data).bitmap
        #expect(png.hasSamePixels(as: Sample.transparent()))
    }

    @Test("of 16 bits a sample keeps them in PNG, and has 8 in JPEG")
    func sixteenBits() async throws {
        encoded.transport.serve(encoded.url, Sample.encoded(try Sample.bitmap().converted(to: .sixteen), .png))
        let png = try await encoded.encoded(.format(.png), [.keepSixteenBits])
        #expect(try ImageCodecs.standard.info(of: png.data).bitDepth == 16)
        let jpeg = try await encoded.encoded(.format(.jpeg), [.keepSixteenBits])
        #expect(try ImageCodecs.standard.info(of: jpeg.data).bitDepth == 8)
    }

    @Test("has the format of the original, or another one where that cannot be written")
    func originalFormat() async throws {
        encoded.transport.serve(encoded.url, Sample.jpeg())
        #expect(try await encoded.encoded(.original(), [crop]).format == .jpeg)
        let codecs = ImageCodecs(decoders: ImageCodecs.standard.decoders, encoders: [PNGEncoder()])
        let test = TestPipeline(codecs: codecs)
        test.transport.serve(encoded.url, Sample.jpeg())
        #expect(try await test.pipeline.encoded(for: encoded.url, as: .original(), options: [crop]).format == .png)
    }
}
