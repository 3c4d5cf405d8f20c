import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A source in Base64")
struct Base64SourceTests {
    private let test = TestPipeline()

    @Test("loads as an image, and is kept in memory only")
    func load() async throws {
        let text = Sample.png(5, 4).base64EncodedString()
        let lines = stride(from: 0, to: text.count, by: 76).map { text.dropFirst($0).prefix(76) }.joined(
            separator: "\r\n"
        )
        for text in [text, lines] {
            let request = ImageRequest(.base64(text))
            let response = try await test.pipeline.response(for: request)
            #expect(response.source == .data && response.image.size == PixelSize(5, 4))
            #expect(try await test.pipeline.response(for: request).source == .memory)
        }
        await test.settle()
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("is named by a digest, which does not grow with the text")
    func digest() {
        let texts = ["QUJD", "QUJE", String(repeating: "QUJD", count: 100_000)]
        let keys = texts.map { Base64ImageDataProvider($0).cacheKey }
        #expect(Set(keys).count == 3)
        #expect(keys.allSatisfy { $0.utf8.count == "base64:".utf8.count + 64 })
        #expect(Base64ImageDataProvider("QUJD").cacheKey == keys[0])
        #expect(Source.base64("QUJD") == .base64("QUJD") && Source.base64("QUJD") != .base64("QUJE"))
    }

    @Test("has the name that it is given")
    func explicitKey() async throws {
        let source = Source.base64(Sample.png(5, 4).base64EncodedString(), cacheKey: "logo")
        _ = try await test.pipeline.response(for: ImageRequest(source))
        let other = Source.base64("not even Base64", cacheKey: "logo")
        #expect(test.pipeline.responseFromMemory(for: ImageRequest(other))?.image.size == PixelSize(5, 4))
    }

    @Test("that is malformed is an error of the load, which tells where")
    func malformed() async throws {
        let error = try await test.pipeline.task(for: ImageRequest(.base64("QUJD*"))).failure()
        #expect(error.stage == .load)
        #expect(error.reason == .provider("the text is not Base64: the character at byte 4 is no digit"))
    }
}
