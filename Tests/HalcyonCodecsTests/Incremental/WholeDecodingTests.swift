import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("Images that were decoded while their bytes arrived")
struct WholeDecodingTests {
    /// Returns the image of a file in pieces, if it says that it is that of the whole file.
    private func matching(_ data: Data, by count: Int, options: DecodeOptions) -> DecodedImage? {
        let decoder = IncrementalDecoder(options: options)
        do {
            for start in stride(from: 0, to: data.count, by: count) {
                try decoder.append(data[start..<min(start + count, data.count)])
                // Images of the passes before leave no trace in the last.
                while try decoder.advance() { _ = try decoder.image() }
            }
            decoder.end()
            while try decoder.advance() {}
            guard decoder.progress.isComplete, decoder.matchesWholeDecoding else { return nil }
            return try decoder.image()
        } catch {
            return nil
        }
    }

    private func expectSame(_ image: DecodedImage, _ whole: DecodedImage) {
        #expect(image.info == whole.info && image.fullSize == whole.fullSize)
        #expect(image.colorProfile == whole.colorProfile)
        #expect(image.bitmap.isOpaque == whole.bitmap.isOpaque && image.bitmap.depth == whole.bitmap.depth)
        #expect(image.size == whole.size && image.bitmap.rowBytes() == whole.bitmap.rowBytes())
    }

    private static let targets = [nil, PixelSize(8, 8), PixelSize(3, 2)]

    @Test("are those of the whole file, where they say so", arguments: IncrementalSample.allCases, [1, 50, 100_000])
    func equality(sample: IncrementalSample, count: Int) throws {
        let data = try sample.data
        for target in Self.targets {
            for color in [ColorHandling.sRGB, .asStored] {
                for appliesOrientation in [true, false] {
                    let options = DecodeOptions(
                        targetSize: target,
                        color: color,
                        appliesOrientation: appliesOrientation
                    )
                    let image = matching(data, by: count, options: options)
                    let matches =
                        switch sample {
                        case .baselineJPEG: target == nil
                        case .progressiveJPEG, .grayJPEG, .turnedJPEG: true
                        case .lossyWebP, .losslessWebP, .turnedWebP: true
                        default: false
                        }
                    #expect((image != nil) == matches)
                    guard let image else { continue }
                    expectSame(image, try ImageCodecs.all.decode(data, options: options))
                }
            }
        }
    }

    @Test("are those of the whole file where it is damaged, where they say so", arguments: IncrementalSample.allCases)
    func damage(sample: IncrementalSample) throws {
        let (data, limits) = (try sample.data, DecodeLimits(pixelCount: 1 << 18))
        for place in stride(from: 0, to: data.count, by: max(7, data.count / 200)) {
            var damaged = data
            damaged[place] ^= 0x5a
            for target in Self.targets {
                let options = DecodeOptions(targetSize: target, limits: limits)
                for bytes in [damaged, damaged.dropLast(data.count / 9)] {
                    guard let image = matching(bytes, by: 64, options: options) else { continue }
                    expectSame(image, try ImageCodecs.all.decode(bytes, options: options))
                }
            }
        }
    }

    @Test("say nothing where an embedded thumbnail may serve, or the bitmap is bounded")
    func otherWays() throws {
        let data = try IncrementalSample.progressiveJPEG.data
        #expect(matching(data, by: 9, options: DecodeOptions()) != nil)
        #expect(matching(data, by: 9, options: DecodeOptions(usesEmbeddedThumbnail: true)) == nil)
        #expect(matching(data, by: 9, options: DecodeOptions(largestSideLength: 10_000)) == nil)
    }
}
