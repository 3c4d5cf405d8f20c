import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Colours of a load")
struct ColorHandlingTests {
    private let test = TestPipeline()
    private let profile = ColorProfile.codePoints(primaries: 12, transfer: 13)
    private let thumbnail: ImageOption = .processor(.downsample(to: .pixels(16, 12)))

    /// Serves an image in Display P3.
    private func wideGamut() -> URL {
        let url = Sample.url()
        test.transport.serve(url, ColorSample.displayP3())
        return url
    }

    private func pixels(_ size: PixelSize?, convertsLast: Bool) throws -> [UInt8] {
        let options = DecodeOptions(color: convertsLast ? .asStored : .sRGB)
        var bitmap = try ImageCodecs.standard.decode(ColorSample.displayP3(), options: options).bitmap
        if let size { bitmap = try bitmap.resampled(to: size) }
        if convertsLast { try bitmap.convertToSRGB(from: profile) }
        return bitmap.straightRGBA()
    }

    @Test("are sRGB by default")
    func standard() async throws {
        let image = try await test.pipeline.image(from: wideGamut())
        #expect(image.colorProfile == nil)
        #expect(try firstDifference(image.bitmap.straightRGBA(), pixels(nil, convertsLast: false)) == nil)
        #expect(image.info.colorSpace == .codePoints(primaries: 12, transfer: 13))
    }

    @Test("are converted in the thumbnail, not in the image that it is made of")
    func thumbnails() async throws {
        let image = try await test.pipeline.image(from: wideGamut(), options: [thumbnail])
        #expect(image.colorProfile == nil)
        let late = try pixels(PixelSize(16, 12), convertsLast: true)
        #expect(firstDifference(image.bitmap.straightRGBA(), late) == nil)
        #expect(try late != pixels(PixelSize(16, 12), convertsLast: false))
    }

    @Test("are those that a processor of any other kind expects")
    func processors() async throws {
        let seen = Lock<[ColorProfile?]>([])
        let spy = ImageProcessorChain(ProfileSpy(seen: seen))
        let chains: [ImageProcessorChain] = [
            spy, .downsample(to: .pixels(16, 12)) |> spy, .crop(to: .pixels(9, 9)) |> spy,
        ]
        for chain in chains {
            let image = try await test.pipeline.image(from: wideGamut(), options: [.processor(chain)])
            #expect(image.colorProfile == nil)
        }
        #expect(seen.withLock { $0 } == [nil, nil, nil])
    }

    @Test("stay as the file has them on request, and the image has their profile", arguments: [true, false])
    func asStored(isProcessed: Bool) async throws {
        let url = wideGamut()
        let options: [ImageOption] = [.color(.asStored), .waitForCache] + (isProcessed ? [thumbnail] : [])
        let first = try await test.pipeline.response(for: url, options: options)
        #expect(first.image.colorProfile == profile)
        test.pipeline.cache.removeAllFromMemory()
        let second = try await test.pipeline.response(for: url, options: options)
        #expect(second.source == .disk)
        #expect(second.image.colorProfile == profile)
        #expect(second.image.bitmap.hasSamePixels(as: first.image.bitmap))
        let retrieved = try await test.pipeline.cache.entry(for: ImageRequest(url, options: options))
        #expect(retrieved?.image.colorProfile == profile)
    }

    @Test("of a request are never given to another that asks for others", arguments: [true, false])
    func identities(isProcessed: Bool) async throws {
        let url = wideGamut()
        let processing = isProcessed ? [thumbnail] : []
        let options: [[ImageOption]] = [[], [.color(.asStored)], [.keepSixteenBits], [.useEmbeddedThumbnail]]
        for _ in 0..<2 {
            for changes in options {
                let image = try await test.pipeline.image(
                    from: url,
                    options: processing + changes + [.waitForCache]
                )
                #expect((image.colorProfile == nil) == (changes.count == 0 || changes.first?.keepsColors != true))
            }
            test.pipeline.cache.removeAllFromMemory()
        }
        let keys = options.map { ImageKey(original: OriginalKey(text: "a"), options: ImageOptions().applying($0)) }
        #expect(Set(keys).count == options.count)
    }

    @Test("an image found again while it is shown keeps its colour profile")
    func weakTier() async throws {
        let url = wideGamut()
        let shown = try await test.pipeline.image(from: url, options: [.color(.asStored)])
        test.pipeline.cache.memory.trim()
        let again = try await test.pipeline.response(for: url, options: [.color(.asStored)])
        #expect(again.source == .memory)
        #expect(again.image.colorProfile == shown.colorProfile)
    }

    @Test("an image stored without its original becomes sRGB on disk, where no profile is stored")
    func stored() async throws {
        let options = DecodeOptions(color: .asStored)
        let image = try ImageCodecs.standard.decode(ColorSample.displayP3(), options: options)
        let source = Source.url(Sample.url())
        #expect(try await test.pipeline.cache.store(image, for: ImageRequest(source)))
        let data = try #require(await test.pipeline.cache.storedData(for: ImageRequest(source)))
        let bitmap = try ImageCodecs.standard.decode(data, options: options).bitmap
        #expect(try firstDifference(bitmap.straightRGBA(), pixels(nil, convertsLast: true)) == nil)
    }

    private struct ProfileSpy: ImageProcessing {
        let seen: Lock<[ColorProfile?]>

        static func == (left: Self, right: Self) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
        func encodeParameters(into encoder: inout CacheKeyEncoder) {}

        func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
            seen.withLock { $0.append(image.colorProfile) }
            return image
        }
    }
}

extension ImageOption {
    fileprivate var keepsColors: Bool { ImageOptions().applying([self]).decode.color == .asStored }
}
