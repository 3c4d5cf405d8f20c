import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("What a server says to a credential that only a hook knows")
struct HiddenAnswerTests {
    private static let crop = ImageOption.processor(.crop(to: .pixels(8, 8), anchor: .topLeft))

    private let fixture = ServerCachingFixture()
    private let modifier = ImageOption.hooks(
        TestHooks.request { request in
            var request = request
            request.headers[.authorization] = "Bearer one"
            return request
        }
    )

    private var cache: ImageCache { fixture.test.pipeline.cache }

    /// Loads the image of all, and what is made of it.
    private func loadForAll(_ control: String) async throws {
        fixture.serve(Sample.png(seed: 1), [.cacheControl: control, .eTag: "\"a\""])
        _ = try await fixture.load()
        _ = try await fixture.load([Self.crop, .cacheOriginalImage])
    }

    private func expectImagesOfAll() async throws {
        for isInMemory in [true, false] {
            if !isInMemory { fixture.forgetMemory() }
            for options in [[], [Self.crop]] {
                let response = try? await fixture.load(options + [.onlyFromCache])
                #expect(response?.source == (isInMemory ? .memory : .disk))
                #expect(response?.image.owner == 1)
            }
        }
    }

    @Test("confirms the image for nobody else")
    func confirmation() async throws {
        fixture.serve(Sample.png(seed: 1), [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.load()
        fixture.clock.advance(by: 61)
        fixture.serve(Sample.png(seed: 3), [.cacheControl: "private, max-age=86400"])
        #expect(try await fixture.load([modifier]).image.owner == 3)
        fixture.serve(Sample.png(seed: 2), [.cacheControl: "max-age=60"])
        #expect(try await fixture.load().image.owner == 2)
        #expect(fixture.requestCount == 3)
    }

    @Test(
        "takes the image from nobody else",
        arguments: [
            .init(status: 404), .init(status: 304, headers: [.cacheControl: "no-store"]),
            .init(headers: [.cacheControl: "no-store"], body: Sample.png(seed: 2)),
            .init(headers: [.cacheControl: "max-age=60"], body: Sample.png(seed: 2)),
        ] as [ScriptedTransport.Route],
        [ImageOption.revalidate, .forceRefresh]
    )
    func removal(answer: ScriptedTransport.Route, option: ImageOption) async throws {
        try await loadForAll("max-age=86400")
        fixture.transport.setRoute(fixture.url, answer)
        for options in [[], [Self.crop]] { _ = try? await fixture.load(options + [option, modifier]) }
        try await expectImagesOfAll()
    }

    @Test("takes the image from nobody else where a responder gives the credential")
    func responder() async throws {
        try await loadForAll("max-age=86400")
        fixture.transport.setRoute(fixture.url, nil)
        fixture.transport.setAnswer { .init(status: $0.credential == nil ? 401 : 404) }
        let responder = ImageOption.hooks(TestHooks.credential { _ in .bearer("one") })
        #expect(try await fixture.failure([responder, .revalidate]).reason == .status(404))
        try await expectImagesOfAll()
    }

    @Test("takes the image from nobody else where it is a hook that makes an error of the answer")
    func response() async throws {
        try await loadForAll("max-age=86400")
        let refusing = ImageOption.hooks(
            TestHooks.response { response in
                var response = response
                response.status = 404
                return response
            }
        )
        #expect(try await fixture.failure([refusing, .revalidate]).reason == .status(404))
        try await expectImagesOfAll()
    }

    /// Returns a modifier that gives responses of one status another one.
    private static func status(_ from: Int, to status: Int) -> TestHooks {
        TestHooks.response { response in
            var response = response
            if response.status == from { response.status = status }
            return response
        }
    }

    @Test("is the answer to all where the hook of all makes an image of it")
    func sharedModifier() async throws {
        let test = TestPipeline(downloads: .with { $0.hooks = Self.status(404, to: 200) })
        let url = Sample.url()
        test.transport.setRoute(url, .init(status: 404, headers: [.cacheControl: "max-age=60"], body: Sample.png()))
        let besides = ImageOption.hooks(TestHooks.response(.unchanged) { $0 })
        _ = try await test.pipeline.response(for: url, options: [besides])
        await test.settle()
        #expect(try await test.pipeline.response(for: url).source == .memory)
        #expect(test.transport.startedCount == 1)
    }

    @Test("is for one request alone where its hook makes an image of it, although the server sent the same status")
    func statusChangedBack() async throws {
        let test = TestPipeline(downloads: .with { $0.hooks = Self.status(200, to: 404) })
        let url = Sample.url()
        test.transport.setRoute(url, .init(headers: [.cacheControl: "max-age=60"], body: Sample.png()))
        let own = ImageOption.hooks(Self.status(404, to: 200))
        _ = try await test.pipeline.response(for: url, options: [own])
        await test.settle()
        #expect(await reason { try await test.pipeline.response(for: url) } == .status(404))
    }

    @Test("takes the image from nobody else where a hook of a downloader that the request names makes an error of it")
    func namedDownloader() async throws {
        try await loadForAll("max-age=86400")
        for policy in [
            NetworkPolicy.with { $0.hooks = Self.status(200, to: 404) },
            NetworkPolicy.with {
                $0.hooks = TestHooks.response { _ in
                    throw ImageError(stage: .load, reason: .status(404), source: "the program's own")
                }
            },
        ] {
            let downloader = ImageDownloader(transport: fixture.transport, configuration: .init(policy: policy))
            let error = try await fixture.failure([.downloader(downloader), .revalidate])
            #expect(error.reason == .status(404))
            try await expectImagesOfAll()
        }
    }
}
