import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An encoded image whose server says how long it is good")
struct EncodedServerCachingTests {
    private let clock: ManualStoreClock
    private let encoded: EncodedTest

    init() {
        let clock = ManualStoreClock()
        self.clock = clock
        encoded = EncodedTest(clock: clock.clock)
    }

    private func serve(_ headers: HTTPFields, seed: Int = 1, status: Int = 200) {
        let body = status == 200 ? Sample.png(seed: seed) : Data()
        encoded.transport.setRoute(encoded.url, .init(status: status, headers: headers, body: body))
    }

    private func fail() {
        encoded.transport.setRoute(encoded.url, .init(error: .cannotConnect("images.example")))
    }

    private func owner(_ options: [ImageOption] = []) async throws -> (owner: Int, source: ImageResponse.Source) {
        let image = try await encoded.encoded(.format(.png), options)
        return (try ImageCodecs.standard.decode(image.data).owner, image.source)
    }

    @Test("is used while it is fresh, in memory and on disk, and made anew afterwards")
    func freshness() async throws {
        serve([.cacheControl: "max-age=60"])
        #expect(try await owner() == (1, .network))
        clock.advance(by: 59)
        #expect(try await owner() == (1, .memory))
        encoded.forgetMemory()
        #expect(try await owner() == (1, .disk))
        clock.advance(by: 2)
        serve([.cacheControl: "max-age=60"], seed: 2)
        #expect(try await owner() == (2, .network))
        encoded.forgetMemory()
        #expect(try await owner() == (2, .disk))
        #expect(encoded.transport.startedCount == 2)
    }

    @Test("passes on the rules of the server, wherever it is found, with the lifetime that is left")
    func rules() async throws {
        serve([.cacheControl: "private, max-age=60, stale-while-revalidate=30, stale-if-error=600"])
        let expected = OriginFreshness(lifetime: 60, staleWhileRevalidate: 30, staleIfError: 600, isPrivate: true)
        #expect(try await encoded.encoded().freshness(at: clock.clock.now()) == expected)
        clock.advance(by: 20)
        var later = expected
        later.lifetime = 40
        #expect(try await encoded.encoded().freshness(at: clock.clock.now()) == later)
        encoded.forgetMemory()
        let stored = try await encoded.encoded()
        #expect(stored.source == .disk)
        #expect(stored.freshness(at: clock.clock.now()) == later)
        clock.advance(by: 50)
        #expect(stored.freshness(at: clock.clock.now())?.lifetime == 0)
    }

    @Test("passes on that the server forbids to keep it, and nothing where it says nothing")
    func silence() async throws {
        serve([.cacheControl: "no-store"])
        #expect(try await encoded.encoded().freshness()?.forbidsStorage == true)
        serve([:])
        for source in [ImageResponse.Source.network, .memory] {
            let image = try await encoded.encoded()
            #expect(image.source == source)
            #expect(image.freshness(at: clock.clock.now()) == nil)
        }
    }

    @Test("is stored nowhere where the server forbids it, and removed where it forbids it later")
    func noStore() async throws {
        serve([.cacheControl: "max-age=60"])
        _ = try await owner()
        clock.advance(by: 61)
        serve([.cacheControl: "no-store"], seed: 2)
        for _ in 0..<2 { #expect(try await owner() == (2, .network)) }
        #expect(encoded.cache.memoryStatistics.count == 0)
        #expect(try await encoded.diskCount() == 0)
    }

    @Test(
        "is not used unconfirmed where the server must be asked",
        arguments: ["no-cache", "max-age=0, must-revalidate"]
    )
    func mustAsk(control: String) async throws {
        serve([.cacheControl: control, .eTag: "\"a\""])
        #expect(try await owner([.cacheOriginalImage]) == (1, .network))
        #expect(encoded.cache.memoryStatistics.count == 0)
        serve([.cacheControl: control], status: 304)
        #expect(try await owner([.cacheOriginalImage]) == (1, .disk))
        #expect(encoded.transport.transfers.last?.request.headers[.ifNoneMatch] == "\"a\"")
        fail()
        let error = await encoded.failure(.format(.png), [.staleIfError(.always)])
        #expect(error?.stage == .load)
    }

    @Test("is made of the stored original again once the server has confirmed that, with its new lifetime")
    func notModified() async throws {
        serve([.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await owner([.cacheOriginalImage])
        clock.advance(by: 61)
        serve([.cacheControl: "max-age=600"], status: 304)
        #expect(try await owner([.cacheOriginalImage]) == (1, .disk))
        clock.advance(by: 200)
        #expect(try await owner([.cacheOriginalImage]).source == .memory)
        encoded.forgetMemory()
        #expect(try await owner([.cacheOriginalImage]).source == .disk)
        #expect(encoded.transport.startedCount == 2)
    }

    @Test("is used stale instead of a failure, unless the options or the server forbid it")
    func staleIfError() async throws {
        serve([.cacheControl: "max-age=60"])
        _ = try await owner()
        clock.advance(by: 61)
        fail()
        #expect(try await owner() == (1, .disk))
        #expect(encoded.encodeCount == 1)
        #expect(await encoded.failure(.format(.png), [.staleIfError(.never)])?.stage == .load)
        #expect(try await owner([.onlyFromCache]) == (1, .disk))
    }

    @Test("is made of a stale processed image where there is no other, and is then not stored")
    func staleImage() async throws {
        let crop = ImageOption.processor(.crop(to: .pixels(20, 10), anchor: .topLeft))
        serve([.cacheControl: "max-age=60"])
        _ = try await encoded.pipeline.response(for: encoded.url, options: [crop])
        await encoded.test.settle()
        clock.advance(by: 61)
        fail()
        #expect(try await owner([crop]) == (1, .disk))
        #expect(encoded.cache.memoryStatistics.count <= 1)
        #expect(try await encoded.diskCount() == 1)
        #expect(await encoded.failure(.format(.png), [crop, .staleIfError(.never)])?.stage == .load)
    }

    @Test("is removed when its server has the image no longer")
    func gone() async throws {
        serve([.cacheControl: "max-age=60"])
        _ = try await owner()
        clock.advance(by: 61)
        serve([:], status: 404)
        #expect(await encoded.failure(.format(.png))?.reason == .status(404))
        #expect(try await encoded.diskCount() == 0)
        #expect(encoded.cache.memoryStatistics.count == 0)
    }

    @Test("of an image in memory lasts no longer than that")
    func lifetimeOfImage() async throws {
        for control in ["max-age=60", ""] {
            let encoded = EncodedTest(clock: clock.clock)
            let headers: HTTPFields = control.isEmpty ? [:] : [.cacheControl: control]
            let lifetime = control.isEmpty ? 7 * 86_400.0 : 60
            encoded.transport.setRoute(encoded.url, .init(headers: headers, body: Sample.png(seed: 1)))
            let options: [ImageOption] = [.memoryCacheExpiration(.never), .diskCacheExpiration(.never)]
            _ = try await encoded.pipeline.response(for: encoded.url, options: options)
            await encoded.test.settle()
            clock.advance(by: lifetime - 10)
            #expect(try await encoded.encoded(.format(.png), options).source == .memory)
            clock.advance(by: 5)
            encoded.forgetMemory()
            #expect(try await encoded.encoded(.format(.png), options).source == .disk)
            clock.advance(by: 10)
            encoded.transport.setRoute(encoded.url, .init(headers: headers, body: Sample.png(seed: 2)))
            let image = try await encoded.encoded(.format(.png), options)
            #expect(try ImageCodecs.standard.decode(image.data).owner == 2)
        }
    }

    @Test("is one for each credential")
    func scopes() async throws {
        for (seed, token) in [(1, "one"), (2, "two"), (3, "one")] {
            serve([.cacheControl: "max-age=60"], seed: seed)
            let source = Source.request(TransferRequest(url: encoded.url, headers: [.authorization: "Bearer \(token)"]))
            let image = try await encoded.pipeline.encoded(for: ImageRequest(source), as: .format(.png))
            #expect(try ImageCodecs.standard.decode(image.data).owner == (token == "one" ? 1 : 2))
            await encoded.test.settle()
        }
    }
}
