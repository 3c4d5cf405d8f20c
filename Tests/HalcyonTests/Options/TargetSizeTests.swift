import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A load with a target size")
struct TargetSizeTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    init() {
        test.transport.serve(url, Sample.png(64, 48))
    }

    private func size(_ target: TargetSize, _ options: [ImageOption] = []) async throws -> PixelSize {
        let options = options + [.targetSize(target)]
        return try await test.pipeline.image(from: url, options: options).size
    }

    @Test("gives an image of that size from network, memory and disk, and from a provider")
    func everyPath() async throws {
        let options: [ImageOption] = [.targetSize(.pixels(width: 32, height: 32))]
        for source in [ImageResponse.Source.network, .memory, .disk] {
            if source == .disk { test.pipeline.cache.removeAllFromMemory() }
            let response = try await test.pipeline.response(for: url, options: options)
            #expect(response.source == source && response.image.size == PixelSize(32, 24))
            #expect(response.image.info.size == PixelSize(64, 48))
            await test.settle()
        }
        #expect(test.pipeline.responseFromMemory(for: url, options: options)?.image.size == PixelSize(32, 24))
        let provided = ImageRequest(.closure(cacheKey: "provided") { Sample.png(64, 48) }, options: options)
        #expect(try await test.pipeline.image(from: provided).size == PixelSize(32, 24))
        #expect(test.transport.startedCount == 1)
    }

    @Test("fits or fills, by both sides or by one, in pixels or in points, and enlarges nothing")
    func sizes() async throws {
        #expect(try await size(.pixels(width: 16, height: 16)) == PixelSize(16, 12))
        #expect(try await size(.pixels(width: 24, height: 24, mode: .fill)) == PixelSize(32, 24))
        #expect(try await size(.pixels(width: 16)) == PixelSize(16, 12))
        #expect(try await size(.pixels(height: 24, mode: .fill)) == PixelSize(32, 24))
        #expect(try await size(.points(width: 8, height: 8), [.scaleFactor(2)]) == PixelSize(16, 12))
        #expect(try await size(.points(height: 8), [.scaleFactor(3)]) == PixelSize(32, 24))
        #expect(try await size(.points(width: 8)) == PixelSize(8, 6))
        #expect(try await size(.pixels(width: 8), [.scaleFactor(2)]) == PixelSize(8, 6))
        for target in [TargetSize.pixels(), .pixels(width: 0, height: -1), .points(width: .nan), .pixels(width: 500)] {
            #expect(try await size(target) == PixelSize(64, 48))
        }
        #expect(try await size(.pixels(width: .max, height: 1)) == PixelSize(1, 1))
        let wide = TargetSize.points(width: 1e308, height: 10, mode: .fill)
        #expect(try await size(wide, [.scaleFactor(2)]) == PixelSize(64, 48))
    }

    @Test("decodes a large JPEG at reduced size, as a resizing processor does")
    func decoding() async throws {
        test.transport.serve(url, Sample.jpeg(640, 480))
        let target = try await test.pipeline.image(from: url, options: [.targetSize(.pixels(width: 80, height: 80))])
        let resized = try await test.pipeline.image(
            from: url,
            options: [.processor(.downsample(to: .pixels(80, 80)))]
        )
        #expect(target.size == PixelSize(80, 60) && target.bitmap.hasSamePixels(as: resized.bitmap))
    }

    @Test("runs its processors on the image of that size")
    func processors() async throws {
        let crop = ImageOption.processor(.crop(to: .pixels(10, 10)))
        let target = ImageOption.targetSize(.pixels(width: 32))
        let sized = try await test.pipeline.image(from: url, options: [crop, target])
        let chain: ImageProcessorChain = .downsample(to: .pixels(32, 1_000)) |> .crop(to: .pixels(10, 10))
        let other = try await test.pipeline.image(from: url, options: [.processor(chain)])
        #expect(sized.bitmap.hasSamePixels(as: other.bitmap))
        // The order of the options makes no difference.
        #expect(test.pipeline.responseFromMemory(for: url, options: [target, crop]) != nil)
    }

    @Test("has the size in its key, in pixels")
    func keys() {
        func key(_ options: [ImageOption]) -> ImageKey? { ImageKey(ImageRequest(url, options: options)) }
        let sizes: [TargetSize] = [
            .pixels(width: 16, height: 16), .pixels(width: 16), .pixels(height: 16),
            .pixels(width: 16, height: 16, mode: .fill), .pixels(width: 17, height: 16),
        ]
        let keys = Set(sizes.map { key([.targetSize($0)]) } + [key([])])
        #expect(keys.count == sizes.count + 1)
        #expect(
            key([.targetSize(.points(width: 8, height: 8)), .scaleFactor(2)]) == key([.targetSize(sizes[0])])
        )
        #expect(key([.targetSize(.pixels())]) == key([]))
        let exact: [ImageOption] = [.targetSize(sizes[0])]
        #expect(key(exact + [.precision(.inexact)]) == key(exact))
    }

    @Test("shares its transfer with loads of other sizes, and all of its work with those of its own")
    func sharing() async throws {
        test.transport.setRoute(url, nil)
        let options: [[ImageOption]] = [16, 16, 32].map { [.targetSize(.pixels(width: $0))] }
        let tasks = options.map { test.pipeline.task(for: url, options: $0) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.original.work.waiterCount == 2 }
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 3 }
        transfer.answer(.init(body: Sample.png(64, 48)))
        for (task, width) in zip(tasks, [16, 16, 32]) { #expect(try await task.image.size.width == width) }
        #expect(test.counters.decodes == 2)
    }

    @Test("gives encoded images of that size, and stored ones that are found again")
    func encoded() async throws {
        let options: [ImageOption] = [.targetSize(.pixels(width: 16))]
        let encoded = try await test.pipeline.encoded(for: url, as: .format(.png), options: options)
        #expect(encoded.size == PixelSize(16, 12))
        let request = ImageRequest(url, options: options)
        let image = try ImageCodecs.standard.decode(Sample.png(16, 12, seed: 3))
        #expect(try await test.pipeline.cache.store(image, for: request))
        #expect(try await test.pipeline.image(from: request).bitmap.hasSamePixels(as: image.bitmap))
    }

    @Test("can be a default of the pipeline, which a request replaces")
    func defaultOption() async throws {
        let test = TestPipeline(defaultOptions: [.targetSize(.pixels(width: 16))])
        test.transport.serve(url, Sample.png(64, 48))
        #expect(try await test.pipeline.image(from: url).size == PixelSize(16, 12))
        let large: [ImageOption] = [.targetSize(.pixels(width: 32))]
        #expect(try await test.pipeline.image(from: url, options: large).size == PixelSize(32, 24))
    }

    @Test("encodes the identity of an image once, however often memory is asked for it")
    func variant() throws {
        let options = ImageOptions().applying([.scaleFactor(2), .processor(.crop(to: .points(4, 4)))])
        let one = try #require(options.variant)
        let copy = options
        #expect(copy.variant === one)
        var changed = options
        changed.delivery.scale = 3
        #expect(changed.variant != one && options.variant === one)
        changed.delivery.scale = 2
        #expect(changed.variant == one)
        changed.decode.frame = 1
        #expect(changed.variant != one)
    }
}
