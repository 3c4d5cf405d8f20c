import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The bytes of an encoded image")
struct EncodedExactnessTests {
    private let encoded = EncodedTest()
    private let options: [ImageOption] = [
        .processor(.resize(to: .pixels(40, 30), mode: .stretch)), .cacheOriginalImage,
    ]

    /// The kinds of originals: one whose processed image is stored with losses, and two where it is not.
    private static let originals: [Data] = [
        Sample.jpeg(), Sample.png(), Sample.encoded(Sample.transparent(64, 48), .png),
    ]

    @Test("are the same from the network, from memory, from disk, and from the stored original", arguments: originals)
    func sources(original: Data) async throws {
        encoded.transport.serve(encoded.url, original)
        let format = EncodedImageFormat.accepted(by: "image/webp;q=0.1, image/jpeg, image/png")
        let cold = try await encoded.encoded(format, options)
        let memory = try await encoded.encoded(format, options)
        encoded.forgetMemory()
        let disk = try await encoded.encoded(format, options)
        #expect([cold, memory, disk].map(\.source) == [.network, .memory, .disk])
        #expect(encoded.encodeCount == 1)
        try await forgetEncoded()
        let storedOriginal = try await encoded.encoded(format, options)
        try await forgetEncoded()
        // The processed image in memory, and then on disk alone.
        _ = try await encoded.pipeline.response(for: encoded.url, options: options)
        await encoded.test.settle()
        let image = try await encoded.encoded(format, options)
        try await forgetEncoded()
        let storedImage = try await encoded.encoded(format, options)
        #expect(image.source == .memory)
        for other in [memory, disk, storedOriginal, image, storedImage] {
            #expect(firstDifference(other.data, cold.data) == nil)
            #expect(other.entityTag == cold.entityTag)
        }
        #expect(encoded.transport.startedCount == 1)
    }

    @Test("come from an image stored with losses only where the original cannot be had, and are then not stored")
    func losses() async throws {
        encoded.transport.serve(encoded.url, Sample.jpeg())
        let resize = [options[0]]
        _ = try await encoded.pipeline.response(for: encoded.url, options: resize)
        await encoded.test.settle()
        encoded.forgetMemory()
        encoded.transport.setRoute(encoded.url, .init(error: .cannotConnect("images.example")))
        let lossy = try await encoded.encoded(.format(.png), resize)
        #expect(lossy.source == .disk && lossy.size == PixelSize(40, 30))
        #expect(try await encoded.diskCount() == 1)
        encoded.transport.serve(encoded.url, Sample.jpeg())
        let exact = try await encoded.encoded(.format(.png), resize)
        #expect(exact.source == .network && firstDifference(exact.data, lossy.data) != nil)
        encoded.forgetMemory()
        #expect(try await firstDifference(encoded.encoded(.format(.png), resize).data, exact.data) == nil)
    }

    @Test("are in sRGB, whatever colours the pixels of a load have")
    func colors() async throws {
        encoded.transport.serve(encoded.url, ColorSample.displayP3())
        let converted = try await encoded.encoded(.format(.png))
        let stored = try await encoded.encoded(.format(.png), [.color(.asStored)])
        let bitmaps = try [converted, stored].map { try ImageCodecs.standard.decode($0.data).bitmap }
        #expect(bitmaps[0].hasSamePixels(as: bitmaps[1]))
    }

    /// Removes the encoded forms from memory and disk, and processed images from memory.
    private func forgetEncoded() async throws {
        encoded.forgetMemory()
        let key = try #require(ImageKey(ImageRequest(encoded.url, options: options)))
        let removed = try await encoded.cache.disk.change { try $0.removeEntries(prefix: key.encodedDiskKeyPrefix) }
        #expect(removed == 1)
    }
}
