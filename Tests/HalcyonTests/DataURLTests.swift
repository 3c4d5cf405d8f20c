import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A data URL")
struct DataURLTests {
    @Test(
        "has the bytes it says",
        arguments: [
            ("data:,a%20b", "a b"), ("data:text/plain,%41%4", "A%4"), ("DATA:;base64,QUJD", "ABC"),
            ("data:image/png; base64 ,QUI=", "AB"), ("data:;base64,QUI", "AB"), ("data:;base64,Q%55 JD", "ABC"),
            ("data:,x#fragment", "x"), ("data:;base64;x,QUJD", "QUJD"), ("data:,%%41", "%A"),
        ]
    )
    func bytes(url: String, expected: String) throws {
        #expect(String(decoding: try DataURL(url).decoded(), as: UTF8.self) == expected)
    }

    @Test(
        "that is malformed is an error and no crash",
        arguments: [
            ("http://a", DataURLError.notADataURL), ("data:", .missingComma), ("data:x", .missingComma),
            ("data:;base64,A", .invalidBase64), ("data:;base64,A=B=", .invalidBase64),
            ("data:;base64,QUJ*", .invalidBase64),
        ]
    )
    func malformed(url: String, expected: DataURLError) {
        #expect(throws: expected) { try DataURL(url).decoded() }
    }

    @Test("that is long counts in memory with its text, which names the image there")
    func cost() async throws {
        let test = TestPipeline(memoryCostLimit: 1 << 20)
        let cache = test.pipeline.cache
        for number in 0..<20 {
            let bytes = Sample.png(1, 1) + Data(repeating: UInt8(number), count: 100_000)
            let text = "data:image/png;base64,\(bytes.base64EncodedString())"
            _ = try await test.pipeline.response(for: ImageRequest(.dataURL(text)))
            #expect(cache.memoryStatistics.cost >= min(number + 1, 7) * text.utf8.count)
        }
        #expect(cache.memoryStatistics.count == 7)
    }

    @Test("that is long loads as one that is short does, and fails as one")
    func long() async throws {
        let test = TestPipeline()
        let bytes = Sample.png(5, 4) + Data(repeating: 7, count: 1_000_000)
        let text = bytes.base64EncodedString()
        let sources = [Source.dataURL("data:image/png;base64,\(text)"), .provider(Base64ImageDataProvider(text))]
        for source in sources {
            #expect(try await test.pipeline.data(for: ImageRequest(source)) == bytes)
            #expect(try await test.pipeline.image(from: ImageRequest(source)).size == PixelSize(5, 4))
        }
        let error = await #expect(throws: ImageError.self) {
            try await test.pipeline.image(from: ImageRequest(.dataURL("data:;base64,\(text)*")))
        }
        guard case .provider = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("loads as an image, and is kept in memory only")
    func load() async throws {
        let test = TestPipeline()
        let text = "data:image/png;base64,\(Sample.png(5, 4).base64EncodedString())"
        let source = Source.dataURL(text)
        #expect(try await test.pipeline.response(for: ImageRequest(source)).image.size == PixelSize(5, 4))
        #expect(try await test.pipeline.response(for: ImageRequest(source)).source == .memory)
        let url = try #require(URL(string: text))
        #expect(try await test.pipeline.response(for: url).image.size == PixelSize(5, 4))
        await test.settle()
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
        let error = await #expect(throws: ImageError.self) {
            try await test.pipeline.image(from: ImageRequest(.dataURL("data:;base64,A")))
        }
        #expect(error?.stage == .load)
    }

    @Test("is read as the Web Platform Tests say", .enabled(if: Corpora.isAvailable))
    func webPlatformTests() throws {
        let file = URL(filePath: "\(Corpora.folder)/data_urls/base64.json")
        let cases = try #require(try ByteCases.arrays(Data(contentsOf: file)))
        #expect(cases.count > 40)
        for (input, expected) in cases {
            // The input stands in the body as it is, except for what would end or escape it.
            let escaped = input.utf8.map {
                $0 == 0x25 || $0 == 0x23 ? "%\(String($0, radix: 16))" : String(UnicodeScalar($0))
            }
            guard input.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
            let bytes = try? DataURL("data:;base64,\(escaped.joined())").decoded()
            #expect(bytes.map(Array.init) == expected, "\(input)")
        }
    }
}

/// The test files outside the repository.
enum Corpora {
    static let folder = ProcessInfo.processInfo.environment["HALCYON_CORPORA"] ?? "../shared/corpora"

    static var isAvailable: Bool { FileManager.default.fileExists(atPath: "\(folder)/MANIFEST.tsv") }
}

private enum ByteCases {
    /// Pairs of a text and a list of bytes or null.
    static func arrays(_ data: Data) throws -> [(String, [UInt8]?)]? {
        try JSONDecoder().decode([Pair].self, from: data).map { ($0.input, $0.bytes) }
    }

    private struct Pair: Decodable {
        let input: String
        let bytes: [UInt8]?

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            input = try container.decode(String.self)
            bytes = try container.decodeNil() ? nil : try container.decode([UInt8].self)
        }
    }
}
