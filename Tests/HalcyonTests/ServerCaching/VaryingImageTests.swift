import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An image that depends on the headers of its request")
struct VaryingImageTests {
    private let fixture = ServerCachingFixture()

    private func serve(_ seed: Int) {
        fixture.serve(Sample.png(seed: seed), [.cacheControl: "max-age=60", .vary: "Accept-Language"])
    }

    @Test("is never shown for other headers, in memory or on disk, and kept once for each", arguments: [false, true])
    func variants(isProcessed: Bool) async throws {
        let options: [ImageOption] = isProcessed ? [.processor(.crop(to: PixelSize(8, 8))), .cacheOriginalImage] : []
        serve(1)
        let english = try await fixture.load(options, headers: [.acceptLanguage: "en"])
        serve(2)
        let german = try await fixture.load(options, headers: [.acceptLanguage: "de"])
        #expect(german.origin == .network)
        #expect(!german.image.bitmap.hasSamePixels(as: english.image.bitmap))
        #expect(try await fixture.load(options).origin == .network)
        for (language, image) in [("en", english), ("de", german)] {
            fixture.forgetMemory()
            let again = try await fixture.load(options, headers: [.acceptLanguage: language])
            #expect(again.origin == .disk)
            #expect(again.image.bitmap.hasSamePixels(as: image.image.bitmap))
            #expect(try await fixture.load(options, headers: [.acceptLanguage: language]).origin == .memory)
        }
        #expect(fixture.requestCount == 3)
    }

    @Test("takes the place of the oldest when there are too many")
    func slots() async throws {
        for number in 0..<(OriginalStorage.slotCount + 1) {
            serve(number)
            fixture.clock.advance(by: 1)
            _ = try await fixture.load(headers: [.acceptLanguage: "l\(number)"])
        }
        #expect(try await fixture.test.pipeline.cache.diskStatistics().count == OriginalStorage.slotCount)
        fixture.forgetMemory()
        let count = OriginalStorage.slotCount
        #expect(try await fixture.load(headers: [.acceptLanguage: "l\(count)"]).origin == .disk)
        #expect(try await fixture.load(headers: [.acceptLanguage: "l1"]).origin == .disk)
        #expect(try await fixture.load(headers: [.acceptLanguage: "l0"]).origin == .network)
    }

    @Test("is listed as an original, and removed with all its representations")
    func removal() async throws {
        for (number, language) in ["en", "de"].enumerated() {
            serve(number)
            _ = try await fixture.load(headers: [.acceptLanguage: language])
        }
        let listed = try await fixture.test.pipeline.cache.storedImages()
        #expect(listed.map(\.isProcessed) == [false, false])
        #expect(Set(listed.map(\.original)) == [fixture.url.absoluteString])
        #expect(try await fixture.test.pipeline.cache.remove(.url(fixture.url)))
        #expect(try await fixture.test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("is kept nowhere if modifiers may add to its request what nobody knows")
    func modifiers() async throws {
        serve(1)
        let options: [ImageOption] = [ImageOption { $0.network.requestModifier = HeaderModifier() }]
        #expect(try await fixture.load(options).origin == .network)
        #expect(try await fixture.load(options).origin == .network)
        #expect(try await fixture.test.pipeline.cache.diskStatistics().count == 0)
    }
}

private struct HeaderModifier: RequestModifying {
    func modified(_ request: TransferRequest) async throws -> TransferRequest? {
        var request = request
        request.headers[.acceptLanguage] = "fr"
        return request
    }
}
