import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An original that is in the format already")
struct KeptOriginalTests {
    private let encoded = EncodedTest()
    /// Bytes behind the end, which only a true copy keeps.
    private let original = Sample.png() + Data("kept".utf8)

    private func keeping(_ format: EncodedImageFormat) -> EncodedImageFormat {
        var format = format
        format.keepsOriginal = true
        return format
    }

    @Test("is encoded again by default")
    func byDefault() async throws {
        encoded.transport.serve(encoded.url, original)
        let image = try await encoded.encoded(.format(.png))
        #expect(!image.isOriginal && firstDifference(image.data, original) != nil)
    }

    @Test("is kept on request, from the network, from memory and from disk, where it is stored once")
    func kept() async throws {
        encoded.transport.serve(encoded.url, original)
        for (source, format) in [
            (ImageResponse.Source.network, EncodedImageFormat.format(.png)), (.memory, .format(.png)),
            (.disk, .original()),
        ] {
            let image = try await encoded.encoded(keeping(format))
            #expect(image.source == source && image.isOriginal && image.format == .png)
            #expect(firstDifference(image.data, original) == nil)
            #expect(try await encoded.diskCount() == 1)
        }
        #expect(encoded.transport.startedCount == 1)
        #expect(encoded.encodeCount == 0)
    }

    @Test("is encoded where it is in another format, or is to be changed")
    func changed() async throws {
        encoded.transport.serve(encoded.url, original)
        #expect(try await !encoded.encoded(keeping(.format(.webp))).isOriginal)
        let crop = ImageOption.processor(.crop(to: .pixels(20, 10)))
        #expect(try await encoded.encoded(keeping(.format(.png)), [crop]).size == PixelSize(20, 10))
        #expect(try await !encoded.encoded(keeping(.format(.png)), [.color(.asStored)]).isOriginal)
    }

    @Test("takes the place of what was encoded of an earlier one in another format")
    func replacement() async throws {
        encoded.transport.serve(encoded.url, Sample.jpeg())
        #expect(try await !encoded.encoded(keeping(.format(.png))).isOriginal)
        encoded.transport.serve(encoded.url, original)
        #expect(try await encoded.encoded(keeping(.format(.png)), [.forceRefresh]).isOriginal)
        #expect(try await encoded.diskCount() == 1)
        encoded.forgetMemory()
        let image = try await encoded.encoded(keeping(.format(.png)))
        #expect(image.source == .disk && image.isOriginal)
        #expect(firstDifference(image.data, original) == nil)
    }

    @Test("is encoded where it is a hash, which is no file")
    func placeholder() async throws {
        let request = ImageRequest(.blurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"))
        let image = try await encoded.pipeline.encoded(for: request, as: keeping(.original()))
        #expect(image.format == .png && !image.isOriginal && image.size == PixelSize(32, 32))
    }

    @Test("is not decoded where that is left out, but for one without its end, which is loaded once")
    func undecoded() async throws {
        var damaged = Sample.png()
        damaged[damaged.count / 2] ^= 0xFF
        var format = keeping(.format(.png))
        #expect(await load(damaged, as: format)?.isPartial != false)
        format.keepsUndecoded = true
        let image = try #require(await load(damaged, as: format))
        #expect(image.isOriginal && !image.isPartial && image.format == .png && image.timings.decode == nil)
        #expect(firstDifference(image.data, damaged) == nil)
        let cut = await load(Sample.png().dropLast(1), as: format)
        #expect(cut.map { $0.timings.decode != nil } ?? true)
        // In another format, it has to be decoded.
        #expect(await load(Sample.jpeg(), as: format)?.isOriginal == false)
    }

    /// Loads an image with one transfer; returns `nil` if it cannot be decoded.
    private func load(_ body: Data, as format: EncodedImageFormat) async -> EncodedImage? {
        let encoded = EncodedTest()
        encoded.transport.serve(encoded.url, body)
        let image = try? await encoded.encoded(format)
        #expect(encoded.transport.startedCount == 1)
        return image
    }

    @Test("is complete if the end of its format is there", arguments: ["jpeg", "png", "gif", "webp", "avif"])
    func completeness(name: String) throws {
        let format = ImageFormat(rawValue: name)
        let file = try ImageCodecs.standard.encode(Sample.bitmap(40, 30), as: format)
        #expect(format.isComplete(file) == true)
        for count in [0, 8, file.count / 2, file.count - 1] { #expect(format.isComplete(file.prefix(count)) != true) }
        #expect(format.isComplete((Data([7]) + file).dropFirst()) == true)
    }

    @Test("is partial if it is an animation that is cut behind its first frame", arguments: ["gif", "png", "webp"])
    func cutAnimation(name: String) async throws {
        let format = ImageFormat(rawValue: name)
        let frames = (1...10).map { AnimationFrame(bitmap: Sample.bitmap(40, 40, seed: 20 * $0), duration: 70) }
        let file = try ImageCodecs.standard.encode(frames, as: format)
        var keeping = keeping(.original())
        for keepsUndecoded in [false, true] {
            keeping.keepsUndecoded = keepsUndecoded
            let whole = try #require(await load(file, as: keeping))
            #expect(whole.isOriginal && !whole.isPartial && whole.originalInfo.frameCount == 10)
            let cut = try #require(await load(file.prefix(file.count / 2), as: keeping))
            #expect(cut.isOriginal && cut.isPartial && cut.originalInfo.frameCount > 1)
        }
        for other in [ImageFormat.gif, .png, .webp] where other != format {
            #expect(await load(file, as: .format(other))?.isPartial == false)
            let cut = try #require(await load(file.prefix(file.count / 2), as: .format(other)))
            #expect(!cut.isOriginal && cut.isPartial && cut.originalInfo.frameCount > 1)
        }
    }

    @Test("is not whole by the two bytes at its end alone, if it is a GIF")
    func cutBehindTrailerByte() throws {
        let file = try ImageCodecs.standard.encode(Sample.bitmap(40, 30), as: .gif)
        // A sub-block that is cut behind its first two bytes.
        let cut = file.dropLast(2) + Data([0x05, 0x00, 0x3B])
        #expect(ImageFormat.gif.isComplete(cut) == false)
        #expect(ImageFormat.gif.isComplete(file + Data("behind".utf8)) == true)
    }

    @Test("is not returned if it cannot be decoded")
    func damaged() async throws {
        encoded.transport.serve(encoded.url, Data(Sample.png().prefix(60)))
        #expect(await encoded.failure(keeping(.format(.png)))?.stage == .decode)
    }
}
