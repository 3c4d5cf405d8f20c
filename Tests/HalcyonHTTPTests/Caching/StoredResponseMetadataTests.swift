import FoundationEssentials
import HTTPTypes
import Testing

@testable import HalcyonHTTP

@Suite("metadata of a stored response")
struct StoredResponseMetadataTests {
    private func sample() throws -> StoredResponse {
        let fixture = CachingFixture()
        fixture.clock.advance(by: 0.125)
        return try #require(
            fixture.stored(
                [
                    .eTag: "\"abc\"", .cacheControl: "max-age=60", .vary: "Accept, X-None", .setCookie: "a=b",
                    .date: "Thu, 01 Jan 2026 00:00:00 GMT",
                ],
                request: fixture.request([.accept: "image/avif"])
            )
        )
    }

    @Test("reads back as it was written")
    func roundTrip() throws {
        var response = try sample()
        response.headers.append(HTTPField(name: .setCookie, value: "c=d"))
        response.headers.append(HTTPField(name: .named("X-Bytes"), value: [0x80, 0xFF, 0x41]))
        #expect(StoredResponse(metadata: response.metadata) == response)
        response.responseTime = Date(timeIntervalSince1970: -1)
        response.url = try #require(URL(string: "https://other.example/ä?b#c"))
        #expect(StoredResponse(metadata: response.metadata) == response)
        #expect(response.metadata.count < 300)
    }

    @Test("is nothing when cut short or continued")
    func lengths() throws {
        let metadata = try sample().metadata
        for count in 0..<metadata.count {
            #expect(StoredResponse(metadata: metadata.prefix(count)) == nil)
        }
        #expect(StoredResponse(metadata: metadata + [0]) == nil)
    }

    @Test("survives any changed byte, and lengths that lie")
    func damage() throws {
        let metadata = try sample().metadata
        for index in metadata.indices {
            for value in [0x00, 0x01, 0x7F, 0x80, 0xFF] as [UInt8] {
                var damaged = metadata
                damaged[index] = value
                // It is another response or none; what matters is that this returns.
                _ = StoredResponse(metadata: damaged)
            }
        }
        let long: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        #expect(StoredResponse(metadata: metadata.prefix(4) + long) == nil)
        for count in 4..<metadata.count {
            #expect(StoredResponse(metadata: metadata.prefix(count) + long) == nil)
        }
        #expect(StoredResponse(metadata: Data()) == nil)
        #expect(StoredResponse(metadata: Data("{}".utf8)) == nil)
    }
}
