import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Filters")
struct FilterProcessorTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    init() {
        test.transport.serve(url, Sample.png(64, 48))
    }

    private func load(_ processing: ImageProcessorChain, scale: Double = 1) async throws -> Bitmap {
        try await test.pipeline.image(from: url, options: [.processor(processing), .scaleFactor(scale)]).bitmap
    }

    private static func image(_ size: PixelSize, _ depth: SampleDepth) throws -> DecodedImage {
        DecodedImage(bitmap: try Bitmap(size: size, depth: depth), info: ImageInfo(format: .png, size: size))
    }

    @Test("blur and sharpen the pixels of an image, whose size stays")
    func pixels() async throws {
        // Neighbours differ by more than the threshold.
        test.transport.serve(url, Sample.encoded(Sample.noise(64, 48), .png))
        let original = try await load(.identity)
        let blurred = try await load(.blur(radius: .pixels(3)))
        let sharpened = try await load(.sharpen(radius: .pixels(1), amount: 2, threshold: 0.1))
        #expect(blurred.size == original.size && sharpened.size == original.size)
        #expect(blurred.hasSamePixels(as: try original.blurred(radius: 3)))
        #expect(sharpened.hasSamePixels(as: try original.sharpened(radius: 1, amount: 2, threshold: 0.1)))
        #expect(!blurred.hasSamePixels(as: original) && !sharpened.hasSamePixels(as: original))
    }

    @Test("take radii in points by the scale, and as a part of a side")
    func radii() async throws {
        let original = try await load(.identity)
        let expected = try original.blurred(radius: 6)
        #expect(try await load(.blur(radius: .points(3)), scale: 2).hasSamePixels(as: expected))
        #expect(try await load(.blur(radius: .points(6))).hasSamePixels(as: expected))
        #expect(try await load(.blur(radius: .pixels(6)), scale: 2).hasSamePixels(as: expected))
        #expect(try await load(.blur(radius: .widthFraction(6.0 / 64))).hasSamePixels(as: expected))
        #expect(try await load(.blur(radius: .heightFraction(6.0 / 48))).hasSamePixels(as: expected))
        let sharp = try original.sharpened(radius: 2, amount: 1)
        #expect(try await load(.sharpen(radius: .points(1)), scale: 2).hasSamePixels(as: sharp))
    }

    @Test("whose parameters differ have identities that do")
    func identities() {
        let values = [1, 1.000_000_1, 2]
        let size = ImageSize.pixels(40, 30)
        var chains: [ImageProcessorChain] = [.resize(to: size), .resize(to: size, mode: .fill)]
        for value in values {
            let radii: [ImageLength] = [
                .points(value), .pixels(value), .widthFraction(value), .heightFraction(value),
                .shorterSideFraction(value),
            ]
            chains += radii.flatMap { [.blur(radius: $0), .sharpen(radius: $0)] }
            chains.append(.sharpen(amount: value + 1))
            chains.append(.sharpen(threshold: value / 4))
        }
        chains += [
            .resize(to: size, mode: .fill, anchor: .topLeft), .resize(to: size, mode: .fill, anchor: .bottomRight),
            .resize(to: size, resampling: .linearLight), .resize(to: size, resampling: Resampling(filter: .box)),
            .resize(to: size, resampling: Resampling(filter: .box, isInLinearLight: true)),
            .resize(to: .points(40, 30), resampling: .linearLight),
        ]
        let variants = chains.map { ImageKey.Variant.of(decode: DecodePolicy(), processing: $0)?.bytes }
        #expect(Set(variants).count == chains.count)
        #expect(Set(chains).count == chains.count)
    }

    @Test("say which lengths they have, what a decoder may save, and the memory they take")
    func requirements() throws {
        let (points, pixels) = (BlurProcessor(radius: .points(4)), BlurProcessor(radius: .pixels(4)))
        #expect(ImageProcessorChain(points).hasLengthsInPoints && !ImageProcessorChain(pixels).hasLengthsInPoints)
        #expect(points.inPixels(atScale: 2.5) == BlurProcessor(radius: .pixels(10)))
        #expect(pixels.inPixels(atScale: 2.5) == pixels)
        #expect(BlurProcessor(radius: .widthFraction(0.1)).scalesWithImage && !pixels.scalesWithImage)
        #expect(pixels.decodeTarget == .full)
        let sharpen = SharpenProcessor(radius: .pixels(1), amount: 1, threshold: 0)
        #expect(sharpen.decodeTarget == .full && !sharpen.scalesWithImage)
        for (depth, size) in [(SampleDepth.eight, PixelSize(8, 18)), (.sixteen, PixelSize(8, 12))] {
            let image = try Self.image(PixelSize(8, 6), depth)
            #expect(sharpen.workingSize(for: image) == size)
            #expect(pixels.workingSize(for: image) == PixelSize(8, 6))
        }
    }

    @Test(
        "are cancelled while they run",
        arguments: [
            ImageProcessorChain.blur(radius: .pixels(2)), .blur(radius: .pixels(30)), .sharpen(),
            .resize(to: .pixels(90, 70), resampling: .linearLight),
        ]
    )
    func cancellation(chain: ImageProcessorChain) throws {
        let image = try Self.image(PixelSize(64, 48), .eight)
        let questions = CallCounter()
        #expect(throws: CancellationError.self) {
            try chain.process(image) {
                questions.add()
                return questions.value == 3
            }
        }
        #expect(questions.value == 3)
    }
}
