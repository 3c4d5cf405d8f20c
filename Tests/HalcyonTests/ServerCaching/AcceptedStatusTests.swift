import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An answer that only one load takes for an image")
struct AcceptedStatusTests {
    private static let crop = ImageOption.processor(.crop(to: .pixels(8, 8)))
    private static let accepting = ImageOption.acceptedStatusCodes(200..<600)

    private let fixture = ServerCachingFixture()

    @Test(
        "is found by no load that takes it for an error, in memory or on disk",
        arguments: [403, 404, 410, 451, 501],
        [[], [crop], [crop, .cacheOriginalImage], [.ignoringServer], [.ignoringServer, crop]]
    )
    func placeholder(status: Int, options: [ImageOption]) async throws {
        fixture.serve(Sample.png(), [.cacheControl: "max-age=600"], status: status)
        #expect(try await fixture.load(options + [Self.accepting]).source == .network)
        #expect(try await fixture.failure(options).reason == .status(status))
        fixture.forgetMemory()
        #expect(try await fixture.failure(options).reason == .status(status))
    }

    @Test("is found by no load under a key of its own either")
    func ownKey() async throws {
        let pipeline = fixture.test.pipeline
        let source = Source.request(TransferRequest(url: fixture.url, method: .post), cacheKey: "chart")
        fixture.serve(Sample.png(), [:], status: 404)
        _ = try await pipeline.response(for: ImageRequest(source, options: [Self.accepting, .waitForCache]))
        await fixture.test.settle()
        #expect(await reason { try await pipeline.response(for: ImageRequest(source)) } == .status(404))
    }

    @Test("leaves alone what others have, unless it says that there is no image any more", arguments: [403, 404, 503])
    func earlierImage(status: Int) async throws {
        fixture.serve(Sample.png(seed: 1), [.cacheControl: "max-age=86400", .eTag: "\"a\""])
        _ = try await fixture.load()
        _ = try await fixture.load([Self.crop])
        fixture.serve(Sample.png(seed: 2), [:], status: status)
        for option in [ImageOption.revalidate, .forceRefresh] {
            for options in [[], [Self.crop]] {
                let load = options + [option, Self.accepting, .staleIfError(.never)]
                #expect(try await fixture.load(load).source == .network)
            }
        }
        let isGone = status == 404
        let missing = ImageError.Reason.notCached
        for options in [[], [Self.crop]] {
            let source = try? await fixture.load(options + [.onlyFromCache]).source
            #expect(source == (isGone ? nil : .memory))
        }
        fixture.forgetMemory()
        for options in [[], [Self.crop]] {
            let found = await reason { try await fixture.load(options + [.onlyFromCache]) }
            #expect(found == (isGone ? missing : nil))
        }
    }
}
