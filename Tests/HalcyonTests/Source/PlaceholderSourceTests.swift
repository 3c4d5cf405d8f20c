import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A source that is a hash")
struct PlaceholderSourceTests {
    private let test = TestPipeline()
    private let blurHash = "LEHV6nWB2yk8pyo0adR*.7kCMdnj"
    private let thumbHash = "2fcZFIB3iId/h3iJh4aIYJ2V8g=="

    @Test("loads as an image, and is kept in memory only")
    func load() async throws {
        for (source, size, format) in [
            (Source.blurHash(blurHash, size: PixelSize(20, 12)), PixelSize(20, 12), ImageFormat.blurHash),
            (.blurHash(blurHash), PixelSize(32, 32), .blurHash), (.thumbHash(thumbHash), PixelSize(32, 18), .thumbHash),
        ] {
            let response = try await test.pipeline.response(for: ImageRequest(source))
            #expect(response.source == .data && response.image.size == size && response.image.info.format == format)
            #expect(test.pipeline.responseFromMemory(for: ImageRequest(source))?.image.size == size)
        }
        await test.settle()
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("has the same pixels as the hash itself, and a name by all that changes them")
    func pixels() async throws {
        let sizes = [PixelSize(4, 4), PixelSize(5, 4)]
        for size in sizes {
            for punch in [1, 2.0] {
                let source = Source.blurHash(blurHash, size: size, punch: punch)
                let expected = try BlurHash(blurHash).bitmap(size: size, punch: punch)
                #expect(try await test.pipeline.image(from: ImageRequest(source)).bitmap.hasSamePixels(as: expected))
            }
        }
        #expect(test.pipeline.cache.memoryStatistics.count == 4)
        let bytes = try ThumbHash(base64: thumbHash).bytes
        #expect(Source.thumbHash(bytes) == .thumbHash("2fcZFIB3iId_h3iJh4aIYJ2V8g"))
    }

    @Test("is processed as any image, and its bytes are the hash")
    func processing() async throws {
        let options: [ImageOption] = [.processor(.resize(to: .pixels(64, 36), mode: .stretch))]
        let request = ImageRequest(.thumbHash(thumbHash), options: options)
        #expect(try await test.pipeline.image(from: request).size == PixelSize(64, 36))
        let data = try await test.pipeline.data(for: ImageRequest(.blurHash(blurHash)))
        #expect(String(decoding: data, as: UTF8.self) == blurHash)
    }

    @Test(
        "that is malformed is an error of decoding",
        arguments: [
            Source.blurHash("LEHV"), .blurHash("LEHV6nWB2yk8pyo0adR*.7kCMdn "), .blurHash(""), .thumbHash("#"),
            .thumbHash(Data([1, 2, 3])), .thumbHash(""), .blurHash("00B:Tv", size: PixelSize(2_000, 1)),
            .blurHash("00B:Tv", size: PixelSize(0, 0)),
        ]
    )
    func malformed(source: Source) async throws {
        let error = try await test.pipeline.task(for: ImageRequest(source)).failure()
        #expect(error.stage == .decode)
        guard case .codec = error.reason else {
            Issue.record("\(error)")
            return
        }
    }

    @Test("is equal to itself alone: its text is compared by bytes, and a contrast that is no number is one value")
    func equality() {
        #expect(Source.blurHash(blurHash, punch: .nan) == .blurHash(blurHash, punch: -.nan))
        #expect(Set([Source.blurHash(blurHash, punch: .nan), .blurHash(blurHash, punch: -.nan)]).count == 1)
        #expect(Source.blurHash(blurHash, punch: .nan) != .blurHash(blurHash))
        // The Kelvin sign is canonically equivalent to the letter.
        #expect(Source.blurHash("00K:Tv") != .blurHash("00\u{212A}:Tv"))
        #expect(Source.thumbHash("#K") != .thumbHash("#\u{212A}"))
    }

    @Test("can take the place of an image that fails")
    func alternative() async throws {
        let url = Sample.url()
        test.transport.serve(url, Data(), status: 404)
        let options: [ImageOption] = [.alternativeSources([.blurHash(blurHash)])]
        let response = try await test.pipeline.response(for: url, options: options)
        #expect(response.image.size == PixelSize(32, 32))
        #expect(response.substitution?.used == .blurHash(blurHash))
    }

    @Test("needs no codec of the pipeline, and is not what bytes from elsewhere are taken for")
    func codecs() async throws {
        let test = TestPipeline(codecs: ImageCodecs())
        #expect(try await test.pipeline.image(from: ImageRequest(.blurHash(blurHash))).size == PixelSize(32, 32))
        let error = try await self.test.pipeline.task(for: ImageRequest(.data(Data(blurHash.utf8)))).failure()
        #expect(error.reason == .codec(.unknownFormat(detected: "text")) || error.code == "notAnImage")
    }
}
