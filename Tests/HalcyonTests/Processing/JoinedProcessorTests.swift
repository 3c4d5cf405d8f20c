import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Neighbouring processors")
struct JoinedProcessorTests {
    private let observer = RecordingObserver()
    private let test: TestPipeline
    private let url = Sample.url()

    init() {
        test = TestPipeline(observers: [observer])
    }

    private let crop = ImageProcessorChain.crop(to: .pixels(20, 10))
    private let corners = ImageProcessorChain.roundCorners(radius: .pixels(4))
    private let border = ImageProcessorChain.border(Border(width: .pixels(2), color: .white))

    /// Returns the result of a chain, one processor after the other.
    private func stepByStep(_ chain: ImageProcessorChain, _ image: DecodedImage) throws -> DecodedImage {
        try chain.steps.reduce(image) { image, step in try step.processor.process(image) { false } }
    }

    @Test("share a pass over the pixels")
    func onePass() async throws {
        test.transport.serve(url, Sample.png())
        let chain = .resize(to: .pixels(32, 24)) |> crop |> corners |> border
        let image = try await test.pipeline.image(from: url, options: [.processor(chain)])
        let name = "ResizeProcessor |> CropProcessor |> RoundCornersProcessor |> BorderProcessor"
        #expect(observer.texts.filter { $0.contains("Processor") } == ["\(name) 20×10"])
        let original = try await test.pipeline.image(from: url)
        #expect(image.bitmap.hasSamePixels(as: try stepByStep(chain, original).bitmap))
    }

    @Test("give the same bytes joined and one after the other")
    func equality() throws {
        let bitmap = Sample.noise(37, 29)
        let image = DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, size: bitmap.size))
        let chains: [ImageProcessorChain] = [
            .resize(to: .pixels(20, 20), mode: .fill) |> corners |> border,
            .resize(to: .pixels(20, 20)) |> .circle(border: Border()) |> border,
            crop |> crop |> .circle() |> .resize(to: .pixels(5, 5)) |> corners,
            .crop(to: .relative(x: 0.2, y: 0.1, width: 0.7, height: 0.7)) |> .flip(.vertical) |> corners |> crop,
            .downsample(to: .pixels(99, 99)) |> .resize(to: .pixels(50, 60), mode: .stretch) |> border,
            corners |> .rotate(byDegrees: 12) |> crop |> border,
            ImageProcessorChain(TargetSizeProcessor(size: .pixels(width: 30, height: 20))) |> crop |> corners,
        ]
        for chain in chains { try expectSameJoined(chain, image) }
    }

    private func expectSameJoined(_ chain: ImageProcessorChain, _ image: DecodedImage) throws {
        let joined = try chain.process(image)
        let steps = try stepByStep(chain, image)
        #expect(joined.bitmap.hasSamePixels(as: steps.bitmap), "\(chain.steps.map { $0.processor })")
        #expect(joined.fullSize == steps.fullSize)
        #expect(joined.bitmap.isOpaque == steps.bitmap.isOpaque)
    }

    private let half = Color(red: 1, green: 0.2, blue: 0, alpha: 0.5)

    /// Chains of colours, each in one pass, some with neighbours of other kinds.
    private var colorChains: [ImageProcessorChain] {
        [
            .adjustColors([.sepia()]) |> .adjustColors([.contrast(4)]) |> .adjustColors([.contrast(0.25)]),
            .tint(half, mode: .multiply) |> .blackAndWhite |> .overlay(half) |> .background(.white),
            .background(.white) |> .opacity(0.5) |> .tint(half, mode: .hue) |> .tint(.black, mode: .sourceAtop),
            .opacity(0.3) |> .background(half) |> .background(.white) |> .background(.black),
            .downsample(to: .pixels(20, 20)) |> .colorControls(contrast: 1.5) |> corners |> .overlay(half) |> border,
            .tint(half) |> crop |> .adjustColors([.inverted()]) |> crop |> corners |> .tint(half, mode: .screen),
        ]
    }

    @Test("of colours give the same bytes joined and one after the other", arguments: SampleDepth.allCases)
    func colors(depth: SampleDepth) throws {
        // Wider than a piece of a row.
        let bitmap = try Sample.noise(1_100, 13).converted(to: depth)
        let image = DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, size: bitmap.size))
        for chain in colorChains {
            #expect(try ProcessingRun(chain.steps[...], on: image).steps.count == chain.steps.count)
            try expectSameJoined(chain, image)
        }
    }

    @Test("of colours leave a reduced image what it stands for, where they change nothing")
    func fullSize() throws {
        let (full, bitmap) = (PixelSize(4_001, 2_003), try Sample.bitmap().resampled(to: PixelSize(51, 26)))
        #expect(bitmap.isOpaque)
        let info = ImageInfo(format: .png, size: full)
        let image = DecodedImage(bitmap: bitmap, info: info, fullSize: full)
        let beginnings: [ImageProcessorChain] = [
            .adjustColors([]), .background(.white), .overlay(half, fraction: 1), .tint(.clear),
        ]
        for beginning in beginnings {
            for chain in [beginning |> .downsample(to: .pixels(50, 50)), beginning |> crop |> corners] {
                try expectSameJoined(chain, image)
            }
        }
    }

    @Test("of colours are told of as one")
    func colorsInOnePass() async throws {
        test.transport.serve(url, Sample.png())
        let chain = crop |> .overlay(half) |> .blackAndWhite
        _ = try await test.pipeline.image(from: url, options: [.processor(chain)])
        let name = "CropProcessor |> OverlayProcessor |> ColorAdjustmentProcessor"
        #expect(observer.texts.filter { $0.contains("Processor") } == ["\(name) 20×10"])
    }

    @Test("share a pass also where another load runs the first of them")
    func commonBeginning() async throws {
        let chains = [crop |> corners, crop |> border]
        let tasks = chains.map { test.pipeline.task(for: url, options: [.processor($0)]) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.processing.work.waiterCount == 2 }
        transfer.answer(.init(body: Sample.png()))
        let images = [try await tasks[0].image, try await tasks[1].image]
        let names = ["CropProcessor |> RoundCornersProcessor 20×10", "CropProcessor |> BorderProcessor 20×10"]
        #expect(Set(observer.texts.filter { $0.contains("Processor") }) == Set(names))
        test.transport.serve(url, Sample.png())
        let original = try await test.pipeline.image(from: url)
        for (chain, image) in zip(chains, images) {
            #expect(image.bitmap.hasSamePixels(as: try stepByStep(chain, original).bitmap))
        }
    }

    @Test("report the error of the one that fails")
    func errors() async throws {
        test.transport.serve(url, Sample.png())
        let chain = crop |> .crop(to: .pixels(x: 30, y: 0, width: 5, height: 5)) |> border
        await #expect {
            try await test.pipeline.image(from: url, options: [.processor(chain)])
        } throws: { error in
            (error as? ImageError)?.stage == .process
        }
    }
}
