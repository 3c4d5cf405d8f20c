import FoundationEssentials
import HTTPTypes
import HalcyonSystem
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
        let options: [ImageOption] = isProcessed ? [.processor(.crop(to: .pixels(8, 8))), .cacheOriginalImage] : []
        serve(1)
        let english = try await fixture.load(options, headers: [.acceptLanguage: "en"])
        serve(2)
        let german = try await fixture.load(options, headers: [.acceptLanguage: "de"])
        #expect(german.source == .network)
        #expect(!german.image.bitmap.hasSamePixels(as: english.image.bitmap))
        #expect(try await fixture.load(options).source == .network)
        for (language, image) in [("en", english), ("de", german)] {
            fixture.forgetMemory()
            let again = try await fixture.load(options, headers: [.acceptLanguage: language])
            #expect(again.source == .disk)
            #expect(again.image.bitmap.hasSamePixels(as: image.image.bitmap))
            #expect(try await fixture.load(options, headers: [.acceptLanguage: language]).source == .memory)
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
        #expect(try await fixture.load(headers: [.acceptLanguage: "l\(count)"]).source == .disk)
        #expect(try await fixture.load(headers: [.acceptLanguage: "l1"]).source == .disk)
        #expect(try await fixture.load(headers: [.acceptLanguage: "l0"]).source == .network)
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
        #expect(try await fixture.test.pipeline.cache.remove(for: ImageRequest(fixture.url)) > 0)
        #expect(try await fixture.test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test(
        "does not come back once it was replaced and removed, whatever became of the others",
        arguments: [false, true]
    )
    func replacedRepresentation(whileOthersVary: Bool) async throws {
        func load(_ language: String, _ options: [ImageOption] = [.revalidate]) async throws -> UInt8? {
            fixture.forgetMemory()
            return try await fixture.load(options, headers: [.acceptLanguage: language]).image.bitmap.pixel(0, 0)[0]
        }
        func lose(_ language: String) async {
            fixture.serve(Data(), [:], status: 404)
            await #expect(throws: ImageError.self) { try await load(language) }
        }
        serve(1)
        #expect(try await load("en") == 1)
        serve(2)
        #expect(try await load("de") == 2)
        // The first representation is gone, so that the second is not looked for; then the second is replaced, and gone.
        await lose("en")
        if whileOthersVary {
            serve(3)
        } else {
            fixture.serve(Sample.png(seed: 3), [.cacheControl: "max-age=60"])
        }
        #expect(try await load("de") == 3)
        await lose("de")
        serve(4)
        #expect(try await load("en") == 4)
        fixture.serve(Data(), [:], status: 404)
        await #expect(throws: ImageError.self) { try await load("de", []) }
    }

    @Test("is kept nowhere if modifiers may add unknown headers to its request")
    func modifiers() async throws {
        serve(1)
        let options: [ImageOption] = [ImageOption { $0.network.hooks = HeaderModifier() }]
        #expect(try await fixture.load(options).source == .network)
        #expect(try await fixture.load(options).source == .network)
        #expect(try await fixture.test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("is replaced by the result of a forced refresh although another was stored that began later")
    func otherRepresentation() async throws {
        serve(9)
        _ = try await fixture.load(headers: [.acceptLanguage: "en"])
        let test = fixture.test
        test.transport.setRoute(fixture.url, nil)
        func begin(_ language: String) -> ImageTask {
            var request = TransferRequest(url: fixture.url)
            request.headers[.acceptLanguage] = language
            return test.pipeline.task(for: ImageRequest(.request(request), options: [.forceRefresh, .waitForCache]))
        }
        func answer(_ transfer: ScriptedTransfer, _ seed: Int) {
            transfer.answer(
                .init(
                    headers: [.cacheControl: "max-age=60", .vary: "Accept-Language"],
                    body: Sample.png(seed: seed)
                )
            )
        }
        let english = begin("en")
        let englishTransfer = await test.transport.nextTransfer()
        let german = begin("de")
        answer(await test.transport.nextTransfer(), 1)
        _ = try await german.response
        answer(englishTransfer, 10)
        _ = try await english.response
        fixture.forgetMemory()
        let again = try await fixture.load(headers: [.acceptLanguage: "en"])
        #expect(again.source == .disk)
        #expect(again.image.bitmap.pixel(0, 0)[0] == 10)
    }

    @Test("is replaced in its place at the time of the store, not at the time of the response")
    func placeAtStore() async throws {
        let url = Sample.url()
        let (old, new) = (Sample.png(seed: 9), Sample.png(seed: 10))
        let gates = [old: DispatchGate(), new: DispatchGate()]
        let reached = [old: Gate(), new: Gate()]
        let isHolding = Lock(true)
        let codecs = ImageCodecs.observed { call, data in
            guard call == .decode, isHolding.withLock({ $0 }), let data else { return }
            reached[data]?.open()
            gates[data]?.wait()
        }
        let test = TestPipeline(codecs: codecs)
        func begin(_ language: String, _ options: [ImageOption] = []) -> ImageTask {
            var request = TransferRequest(url: url)
            request.headers[.acceptLanguage] = language
            return test.pipeline.task(for: ImageRequest(.request(request), options: options))
        }
        func answer(_ transfer: ScriptedTransfer, _ body: Data) {
            transfer.answer(.init(headers: [.cacheControl: "max-age=60", .vary: "Accept-Language"], body: body))
        }
        let german = begin("de", [.waitForCache])
        let germanTransfer = await test.transport.nextTransfer()
        // Arrives while nothing is on disk, and is stored when the other is.
        let english = begin("en")
        answer(await test.transport.nextTransfer(), old)
        await reached[old]?.wait()
        answer(germanTransfer, Sample.png(seed: 1))
        _ = try await german.response
        // Arrives while the other alone is on disk.
        let refresh = begin("en", [.forceRefresh])
        answer(await test.transport.nextTransfer(), new)
        await reached[new]?.wait()
        gates[old]?.open()
        _ = try await english.response
        await test.pipeline.cache.flush()
        gates[new]?.open()
        _ = try await refresh.response
        await test.settle()
        isHolding.withLock { $0 = false }
        test.pipeline.cache.removeAllFromMemory()
        let response = try await begin("en").response
        #expect(response.source == .disk)
        #expect(response.image.bitmap.pixel(0, 0)[0] == 10)
    }
}

private struct HeaderModifier: DownloadHooks {
    let cacheIdentity: DownloadIdentity? = "french"

    func modified(_ request: TransferRequest) async throws -> TransferRequest? {
        var request = request
        request.headers[.acceptLanguage] = "fr"
        return request
    }
}
