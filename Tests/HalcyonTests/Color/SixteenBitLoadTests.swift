import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Loads of more than 8 bits a sample")
struct SixteenBitLoadTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    init() {
        test.transport.serve(url, Sample.encoded(ColorSample.sixteenBits(), .png))
    }

    @Test("have 8 bits unless more are asked for, and cost accordingly")
    func depth() async throws {
        let narrow = try await test.pipeline.image(from: url)
        #expect(narrow.bitmap.depth == .eight)
        let before = test.pipeline.cache.memoryStatistics.cost
        let wide = try await test.pipeline.image(from: url, options: [.keepSixteenBits])
        #expect(wide.bitmap.depth == .sixteen)
        #expect(wide.bitmap.straightRGBA16() == ColorSample.sixteenBits().straightRGBA16())
        #expect(test.pipeline.cache.memoryStatistics.cost - before == wide.bitmap.byteCount)
    }

    @Test("are converted to sRGB with all their bits, also where 8 are handed out")
    func darkColors() async throws {
        // Up to a twentieth of linear light, which is a quarter of the levels of sRGB.
        var ramp = try Bitmap(size: PixelSize(256, 1), isOpaque: true, depth: .sixteen)
        ramp.withUnsafeMutableBytes { bytes in
            let samples = bytes.bindMemory(to: UInt16.self)
            for x in 0..<256 {
                for channel in 0..<4 { samples[x * 4 + channel] = channel == 3 ? .max : UInt16(x * 13) }
            }
        }
        let linear = EncodeOptions(colorProfile: .codePoints(primaries: 1, transfer: 8))
        let file = try ImageCodecs.standard.encode(ramp, as: .png, options: linear)
        let url = Sample.url()
        test.transport.serve(url, file)
        let narrow = try await test.pipeline.image(from: url).bitmap
        let wide = try await test.pipeline.image(from: url, options: [.keepSixteenBits]).bitmap
        #expect(narrow.depth == .eight)
        let differences = zip(narrow.straightRGBA(), wide.straightRGBA16()).map { abs(Int($0) - (Int($1) + 128) / 257) }
        #expect(differences.allSatisfy { $0 <= 1 }, "\(differences)")
    }

    @Test(
        "keep them through processors and the disk",
        arguments: [
            ImageProcessorChain.downsample(to: .pixels(20, 15)), .crop(to: .pixels(11, 7)),
            .roundCorners(radius: .points(6)),
        ]
    )
    func processed(processing: ImageProcessorChain) async throws {
        let options: [ImageOption] = [.keepSixteenBits, .processor(processing), .waitForCache]
        let first = try await test.pipeline.response(for: url, options: options)
        #expect(first.image.bitmap.depth == .sixteen)
        test.pipeline.cache.removeAllFromMemory()
        let second = try await test.pipeline.response(for: url, options: options)
        #expect(second.source == .disk)
        #expect(second.image.bitmap.depth == .sixteen)
        // Dividing by alpha for the file and multiplying again can be off by one.
        let samples = zip(first.image.bitmap.straightRGBA(), second.image.bitmap.straightRGBA())
        #expect(samples.allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    @Test("are found again while they are shown")
    func weakTier() async throws {
        let shown = try await test.pipeline.image(from: url, options: [.keepSixteenBits])
        test.pipeline.cache.memory.trim()
        let again = try await test.pipeline.response(for: url, options: [.keepSixteenBits])
        #expect(again.source == .memory)
        #expect(again.image.bitmap.straightRGBA16() == shown.bitmap.straightRGBA16())
    }
}
