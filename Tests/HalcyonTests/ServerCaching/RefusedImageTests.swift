import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An image that its server refuses for now")
struct RefusedImageTests {
    private let fixture = ServerCachingFixture()
    private let crop = ImageOption.processor(.crop(to: .pixels(8, 8)))

    @Test("is kept, and is there once the server has confirmed it", arguments: [400, 401, 403, 407, 408, 425, 429])
    func original(status: Int) async throws {
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.load()
        fixture.clock.advance(by: 100)
        // With a lifetime, so that the refusal itself could be stored.
        fixture.serve(Data("no".utf8), [.cacheControl: "max-age=60"], status: status)
        #expect(try await fixture.failure().reason == .status(status))
        fixture.serve(Data(), [:], status: 304)
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.lastRequest?.headers[.ifNoneMatch] == "\"a\"")
    }

    @Test("is kept as it was processed", arguments: [400, 401, 403, 407, 408, 425, 429])
    func processed(status: Int) async throws {
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60"])
        _ = try await fixture.load([crop])
        fixture.clock.advance(by: 100)
        fixture.serve(Data("no".utf8), [:], status: status)
        #expect(try await fixture.failure([crop]).reason == .status(status))
        fixture.fail()
        #expect(try await fixture.load([crop]).source == .disk)
    }

    @Test("is removed if the server has it no longer", arguments: [404, 410, 451])
    func gone(status: Int) async throws {
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60"])
        _ = try await fixture.load([.cacheOriginalImage, crop])
        fixture.clock.advance(by: 100)
        fixture.serve(Data("no".utf8), [:], status: status)
        #expect(try await fixture.failure([crop]).reason == .status(status))
        #expect(try await fixture.test.pipeline.cache.diskStatistics().count == 0)
    }
}
