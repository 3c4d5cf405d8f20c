import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonStore
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Two processes that share a folder")
struct SharedFolderOrderTests {
    private let clock = ManualStoreClock()
    private let url = Sample.url()
    private let one: TestPipeline
    private let two: TestPipeline

    init() {
        one = TestPipeline(clock: clock.clock)
        two = TestPipeline(folder: one.folder, clock: clock.clock)
    }

    private func answer(_ seed: Int) -> ScriptedTransport.Route {
        .init(headers: [.cacheControl: "max-age=60"], body: Sample.png(seed: seed))
    }

    private func firstSample(_ test: TestPipeline, _ options: [ImageOption] = []) async throws -> UInt8 {
        test.pipeline.cache.removeAllFromMemory()
        let response = try await test.pipeline.response(for: url, options: options + [.onlyFromCache])
        return response.image.bitmap.pixel(0, 0)[0]
    }

    @Test("keep the answer to the later request, and what was made of it", arguments: [false, true])
    func order(isProcessed: Bool) async throws {
        let crop: [ImageOption] = [.processor(.crop(to: .pixels(4, 4), anchor: .topLeft)), .cacheOriginalImage]
        let options = isProcessed ? crop : []
        let slow = one.pipeline.task(for: url, options: options)
        let transfer = await one.transport.nextTransfer()
        clock.advance(by: 1)
        two.transport.setRoute(url, answer(2))
        _ = try await two.pipeline.response(for: url, options: options)
        await two.settle()
        clock.advance(by: 1)
        transfer.answer(answer(1))
        let older = try await slow.response
        #expect(older.image.bitmap.pixel(0, 0)[0] == 1)
        await one.settle()
        for test in [one, two] {
            #expect(try await firstSample(test) == 2)
            #expect(try await firstSample(test, options) == 2)
        }
    }

    @Test("replace what the other has asked for earlier, or in the future", arguments: [1, -3600])
    func replacement(passed seconds: Double) async throws {
        one.transport.setRoute(url, answer(1))
        _ = try await one.pipeline.response(for: url)
        await one.settle()
        clock.setDate(clock.date.addingTimeInterval(seconds))
        two.transport.setRoute(url, answer(2))
        _ = try await two.pipeline.response(for: url, options: [.forceRefresh])
        await two.settle()
        #expect(try await firstSample(two) == 2)
    }

    @Test(
        "store nothing of a load during which the other has removed the image",
        arguments: [false, true],
        [false, true]
    )
    func removal(isProcessed: Bool, removesAll: Bool) async throws {
        let crop: [ImageOption] = [.processor(.crop(to: .pixels(4, 4))), .cacheOriginalImage]
        let task = one.pipeline.task(for: url, options: isProcessed ? crop : [])
        let transfer = await one.transport.nextTransfer()
        clock.advance(by: 1)
        if removesAll {
            try await two.pipeline.cache.removeAll()
        } else {
            try await two.pipeline.cache.remove(for: ImageRequest(url))
        }
        transfer.answer(answer(1))
        _ = try await task.response
        await one.settle()
        #expect(try await two.pipeline.cache.diskStatistics().count == 0)
        one.transport.setRoute(url, answer(2))
        _ = try await one.pipeline.response(for: url, options: [.forceRefresh])
        await one.settle()
        #expect(try await two.pipeline.cache.diskStatistics().count == 1)
    }

    @Test("store what the program gives them, whatever the other has asked for")
    func program() async throws {
        one.transport.setRoute(url, answer(1))
        clock.advance(by: 30)
        _ = try await one.pipeline.response(for: url)
        await one.settle()
        clock.setDate(clock.date.addingTimeInterval(-30))
        #expect(try await two.pipeline.cache.store(Sample.png(seed: 2), for: ImageRequest(url)))
        await two.settle()
        #expect(try await firstSample(two) == 2)
    }
}
