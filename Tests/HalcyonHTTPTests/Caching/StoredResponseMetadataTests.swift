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

    @Test(
        "reads back each time to the millisecond, up to 2⁵⁰ ms from 1970",
        arguments: [0, 1, 978_307_199_999, 978_307_200_001, 1 << 42, (1 << 43) - 1, (1 << 50) - 1, 1 << 50]
    )
    func times(milliseconds: Int) throws {
        for milliseconds in [milliseconds, -milliseconds] {
            var response = try sample()
            response.requestTime = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            response.responseTime = response.requestTime
            let read = try #require(StoredResponse(metadata: response.metadata))
            #expect(read == response)
            #expect(read.metadata == response.metadata)
        }
    }

    @Test("writes a time beyond the limit as the limit, which reads back")
    func timeBeyondLimit() throws {
        let limit = Double(1 << 50) / 1000
        for seconds in [1e14, -1e14, Double.infinity, .nan] {
            var response = try sample()
            response.responseTime = Date(timeIntervalSince1970: seconds)
            let read = try #require(StoredResponse(metadata: response.metadata))
            #expect(read.responseTime == Date(timeIntervalSince1970: seconds > 0 ? limit : -limit))
            #expect(StoredResponse(metadata: read.metadata) == read)
        }
    }

    @Test("is nothing with a time beyond the limit", arguments: [1 << 50, 1 << 53, 1 << 62, Int.max, Int.min])
    func writtenBeyondLimit(milliseconds: Int) throws {
        func metadata(_ milliseconds: Int) -> Data {
            var writer = MetadataWriter()
            writer.append(contentsOf: Array("HR".utf8) + [1])
            for number in [200, 0] { writer.append(number) }
            for time in [0, milliseconds] { writer.append(signed: time) }
            writer.append("http://example.com/".utf8)
            for count in [0, 0] { writer.append(count) }
            return Data(writer.bytes)
        }
        #expect(StoredResponse(metadata: metadata(1 << 50)) != nil)
        #expect(StoredResponse(metadata: metadata(-1 << 50)) != nil)
        let beyond = milliseconds > 0 ? milliseconds | 1 : milliseconds
        #expect(StoredResponse(metadata: metadata(beyond)) == nil)
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
