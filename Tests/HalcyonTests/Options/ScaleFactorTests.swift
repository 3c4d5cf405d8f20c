import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The scale of an image")
struct ScaleFactorTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    init() {
        test.transport.serve(url, Sample.png(64, 48))
    }

    @Test("is that of the request from network, memory and disk, and gives the size in points")
    func everyPath() async throws {
        for source in [ImageResponse.Source.network, .memory, .disk] {
            if source == .disk { test.pipeline.cache.removeAllFromMemory() }
            let response = try await test.pipeline.response(for: url, options: [.scaleFactor(2)])
            #expect(response.source == source)
            #expect(response.image.scale == 2 && response.image.pointSize == PointSize(32, 24))
            await test.settle()
        }
        #expect(test.pipeline.responseFromMemory(for: url, options: [.scaleFactor(3)])?.image.scale == 3)
        #expect(test.pipeline.task(for: url, options: [.scaleFactor(1.5)]).finishedResponse?.image.scale == 1.5)
        let file = ImageRequest(.data(Sample.png(), cacheKey: "bytes"), options: [.scaleFactor(2)])
        #expect(try await test.pipeline.response(for: file).image.scale == 2)
    }

    @Test("keeps nothing apart where nothing depends on it")
    func oneImage() async throws {
        test.transport.setRoute(url, nil)
        let options: [[ImageOption]] = [
            [], [.scaleFactor(2)], [.processor(.crop(to: .pixels(8, 6))), .scaleFactor(2)],
        ]
        let tasks = options.map { test.pipeline.task(for: url, options: $0) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.decoding.work.waiterCount == 2 }
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 3 }
        transfer.answer(.init(body: Sample.png()))
        let (plain, scaled) = (try await tasks[0].image, try await tasks[1].image)
        #expect(plain.bitmap.buffer === scaled.bitmap.buffer && plain.scale == 1 && scaled.scale == 2)
        #expect(try await tasks[2].image.scale == 2)
        #expect(test.counters.decodes == 1)
        let cropped: [ImageOption] = [.processor(.crop(to: .pixels(8, 6)))]
        #expect(test.pipeline.responseFromMemory(for: url, options: cropped)?.image.scale == 1)
    }

    @Test("turns points into pixels, for each processor with lengths")
    func lengths() async throws {
        func load(_ processing: ImageProcessorChain, _ scale: Double) async throws -> Bitmap {
            try await test.pipeline.image(from: url, options: [.processor(processing), .scaleFactor(scale)]).bitmap
        }
        #expect(try await load(.resize(to: .points(12, 9)), 2).size == PixelSize(24, 18))
        #expect(try await load(.downsample(to: .points(12, 12)), 2.5).size == PixelSize(30, 23))
        #expect(try await load(.crop(to: .points(5, 4)), 3).size == PixelSize(15, 12))
        #expect(try await load(.resize(to: .pixels(12, 9)), 2).size == PixelSize(12, 9))
        #expect(try await load(.resize(to: .points(12, 9)), 1).size == PixelSize(12, 9))
        let (points, pixels) = (ImageLength.points(5), ImageLength.pixels(10))
        let round = try await load(.roundCorners(radius: points), 2)
        let (same, other) = (
            try await load(.roundCorners(radius: pixels), 1), try await load(.roundCorners(radius: points), 1)
        )
        #expect(round.hasSamePixels(as: same) && !round.hasSamePixels(as: other))
    }

    @Test("is in the key exactly where lengths are in points")
    func keys() {
        func key(_ processing: ImageProcessorChain, _ scale: Double) -> ImageKey? {
            ImageKey(ImageRequest(url, options: [.processor(processing), .scaleFactor(scale)]))
        }
        let points: [ImageProcessorChain] = [
            .resize(to: .points(8, 6)), .crop(to: .points(8, 6)), .roundCorners(radius: .points(4)),
            .crop(to: .pixels(8, 6)) |> .roundCorners(radius: .points(4)),
        ]
        let others: [ImageProcessorChain] = [
            .identity, .resize(to: .pixels(8, 6)), .crop(to: .pixels(8, 6)), .roundCorners(radius: .pixels(4)),
            .roundCorners(radius: .widthFraction(0.5)),
        ]
        for processing in points {
            #expect(key(processing, 2) != key(processing, 1) && key(processing, 2) != key(processing, 3))
            #expect(key(processing, 2)?.processedDiskKey != key(processing, 1)?.processedDiskKey)
        }
        for processing in others { #expect(key(processing, 2) == key(processing, 1)) }
        #expect(key(.resize(to: .points(8, 6)), 2) == key(.resize(to: .pixels(16, 12)), 1))
        #expect(key(.roundCorners(radius: .points(4)), 2) == key(.roundCorners(radius: .pixels(8)), 1))
        let chains = points + others + [.resize(to: .points(8, 7)), .resize(to: .points(8.2, 6))]
        #expect(Set(chains).count == chains.count)
    }

    @Test("counts for results of processors in memory and on disk")
    func results() async throws {
        func options(_ scale: Double) -> [ImageOption] {
            [.processor(.resize(to: .points(8, 6))), .scaleFactor(scale), .waitForCache]
        }
        _ = try await test.pipeline.response(for: url, options: options(2))
        #expect(test.pipeline.responseFromMemory(for: url, options: options(1)) == nil)
        #expect(test.pipeline.responseFromMemory(for: url, options: options(2))?.image.size == PixelSize(16, 12))
        test.pipeline.cache.removeAllFromMemory()
        let found = try await test.pipeline.response(for: url, options: options(2))
        #expect(found.source == .disk && found.image.size == PixelSize(16, 12))
        #expect(found.image.pointSize == PointSize(8, 6))
        #expect(try await test.pipeline.response(for: url, options: options(1)).image.size == PixelSize(8, 6))
    }

    @Test("is set in the images of a bare cache, which keeps none")
    func bareCache() async throws {
        let cache = test.pipeline.cache
        let request = ImageRequest(url, options: [.scaleFactor(2)])
        _ = try await test.pipeline.response(for: request)
        await test.settle()
        #expect(cache.entryInMemory(for: request)?.image.scale == 2)
        #expect(cache.entryInMemory(for: ImageRequest(url))?.image.scale == 1)
        cache.removeAllFromMemory()
        #expect(try await cache.entry(for: request)?.image.scale == 2)
        #expect(try await cache.entry(for: ImageRequest(url))?.image.scale == 1)
    }

    @Test("is 1 where it is no length", arguments: [0, -1, Double.nan, .infinity])
    func invalid(scale: Double) {
        let options = ImageOptions().applying([.scaleFactor(scale)])
        #expect(options.delivery.scale == 1)
    }

    @Test("leaves a look into memory ordinary unless lengths are in points")
    func ordinary() {
        let plain = ImageOptions().applying([.scaleFactor(2), .processor(.crop(to: .pixels(4, 4)))])
        let scaled = ImageOptions().applying([.scaleFactor(2), .processor(.crop(to: .points(4, 4)))])
        let unscaled = ImageOptions().applying([.processor(.crop(to: .points(4, 4)))])
        #expect(plain.isOrdinary && !scaled.isOrdinary && unscaled.isOrdinary)
    }

    @Test("is kept by processors, and used by a chain that is run by hand")
    func byHand() throws {
        let info = ImageInfo(format: .png, size: PixelSize(64, 48))
        var image = DecodedImage(bitmap: Sample.bitmap(), info: info)
        image.scale = 2
        let result = try ImageProcessorChain.resize(to: .points(16, 12)).process(image)
        #expect(result.size == PixelSize(32, 24) && result.scale == 2 && result.pointSize == PointSize(16, 12))
    }

    @Test("changes no processor for the sake of a number that is none, which is 0 as a length")
    func notANumber() {
        let crop = ImageProcessorChain.crop(to: .pixels(8, 6), anchor: RelativePoint(.nan, 0))
        let blurs = [Double.nan, -.nan, 0].map { ImageProcessorChain.blur(radius: .pixels($0)) }
        #expect(!crop.hasLengthsInPoints && !blurs[0].hasLengthsInPoints)
        #expect(Set(blurs).count == 1)
        #expect(Set([ImageLength.points(.nan), .points(0), .pixels(.nan)]) == [.points(0), .pixels(0)])
        #expect(ImageLength.points(.nan).inPixels(atScale: 2) == .pixels(0))
        #expect(ImageSize.points(.nan, 5) == .points(0, 5))
        #expect(ImageProcessorChain.crop(to: .points(.nan, 5)) == .crop(to: .points(0, 5)))
    }
}
