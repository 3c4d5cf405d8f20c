import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A format that is negotiated")
struct EncodedNegotiationTests {
    private let encoded = EncodedTest()

    /// Returns the formats of an opaque image and of a transparent one.
    private func formats(_ format: EncodedImageFormat, _ codecs: ImageCodecs = .standard) throws -> [ImageFormat] {
        let encoding = try ImageEncoding(format, codecs: codecs, source: "")
        let info = ImageInfo(format: .png, size: PixelSize(1, 1))
        return [true, false].map { encoding.target(for: info, isOpaque: $0).format }
    }

    @Test(
        "is the best of those that the client accepts, by its weights and then by the order of the offers",
        arguments: [
            // Chrome, Safari 15, Firefox before 128, a program.
            ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", [ImageFormat.avif, .avif]),
            ("image/webp,image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5", [.webp, .webp]),
            ("image/avif,image/webp,*/*", [.avif, .avif]), ("*/*", [.jpeg, .png]), (nil, [.jpeg, .png]),
            ("image/*", [.jpeg, .png]), ("image/jpeg", [.jpeg, .jpeg]), ("image/png", [.png, .png]),
            ("image/png, image/jpeg;q=0.5", [.png, .png]), ("image/jpeg, image/png;q=0.1", [.jpeg, .png]),
            ("image/avif;q=0, image/webp, */*", [.webp, .webp]), ("image/jpeg;q=0, */*", [.png, .png]),
            ("image/avif;q=0.5, image/webp;q=0.6", [.webp, .webp]),
            ("image/jpeg, image/webp;q=0.2, image/png;q=0.9", [.jpeg, .png]),
        ] as [(String?, [ImageFormat])]
    )
    func standardOffers(field: String?, expected: [ImageFormat]) throws {
        #expect(try formats(.accepted(by: field)) == expected)
    }

    @Test("is one of the server's own offers that has an encoder")
    func ownOffers() throws {
        let offers: [EncodedImageFormat.Offer] = [.init(.svg), .init(.gif), .init(.webp, matchesWildcards: true)]
        #expect(try formats(.accepted(by: "*/*", offers: offers)) == [.gif, .gif])
        #expect(try formats(.accepted(by: "image/webp, */*;q=0.5", offers: offers)) == [.webp, .webp])
        let codecs = ImageCodecs(encoders: [JPEGEncoder()])
        #expect(try formats(.accepted(by: "image/avif, */*"), codecs) == [.jpeg, .jpeg])
    }

    @Test(
        "that no client could accept is refused before anything is loaded",
        arguments: ["text/html", "image/*;q=0", "image/heic", "*/*;q=0"]
    )
    func notAcceptable(field: String) async throws {
        let error = await encoded.failure(.accepted(by: field))
        #expect(error?.stage == .encode && error?.reason == .notAcceptable(field) && error?.code == "notAcceptable")
        #expect(error?.message.contains(field) == true)
        #expect(await encoded.failure(.accepted(by: nil, offers: []))?.reason == .notAcceptable(""))
        #expect(encoded.transport.startedCount == 0)
    }

    @Test("by the transparency of the image depends on its pixels alone, and is the same from every cache")
    func transparency() async throws {
        let field = "image/jpeg, image/png"
        let forget = ImageOption.processor(ImageProcessorChain(OpacityForgettingProcessor()))
        for (bitmap, format) in [(Sample.bitmap(), ImageFormat.jpeg), (Sample.transparent(), .png)] {
            let (cold, warm) = (EncodedTest(), EncodedTest())
            for encoded in [cold, warm] { encoded.transport.serve(encoded.url, Sample.encoded(bitmap, .png)) }
            let first = try await cold.encoded(.accepted(by: field), [forget])
            _ = try await warm.pipeline.response(for: warm.url, options: [forget])
            await warm.test.settle()
            warm.forgetMemory()
            let second = try await warm.encoded(.accepted(by: field), [forget])
            #expect(first.source == .network && second.source == .disk)
            #expect(first.format == format && firstDifference(first.data, second.data) == nil)
        }
    }

    @Test("has one entry for all fields that lead to the same choice")
    func sharedEntry() async throws {
        encoded.transport.serve(encoded.url, Sample.png())
        _ = try await encoded.encoded(.accepted(by: "image/webp,image/png,image/*;q=0.8"))
        #expect(try await encoded.encoded(.accepted(by: "image/webp")).source == .memory)
        #expect(try await encoded.encoded(.format(.webp, EncodeOptions(quality: 80))).source == .memory)
    }
}

/// Returns the image without the knowledge that it is opaque.
private struct OpacityForgettingProcessor: ImageProcessing {
    func encodeParameters(into encoder: inout CacheKeyEncoder) {}

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        var bitmap = image.bitmap
        bitmap.isOpaque = false
        return image.replacingBitmap(bitmap)
    }
}
