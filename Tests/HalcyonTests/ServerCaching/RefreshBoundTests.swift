import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Images that are asked for after they were used stale")
struct RefreshBoundTests {
    @Test("are asked for a few at a time, and all of them in the end")
    func bound() async throws {
        let clock = ManualStoreClock()
        let test = TestPipeline(clock: clock.clock)
        let urls = (0..<40).map { _ in Sample.url() }
        let route = ScriptedTransport.Route(
            headers: [.cacheControl: "max-age=1, stale-while-revalidate=86400"],
            body: Sample.png()
        )
        for url in urls {
            test.transport.setRoute(url, route)
            _ = try await test.pipeline.response(for: url)
            test.transport.setRoute(url, nil)
        }
        await test.settle()
        test.pipeline.cache.removeAllFromMemory()
        clock.advance(by: 2)
        for url in urls { #expect(try await test.pipeline.response(for: url).source == .disk) }
        for answeredCount in urls.indices {
            let transfer = await test.transport.nextTransfer()
            let begunCount = test.transport.startedCount - urls.count
            #expect(begunCount - answeredCount <= OriginalRefresher.width)
            transfer.answer(route)
        }
        await test.pipeline.stages.original.refresher.wait()
        #expect(test.transport.startedCount == 2 * urls.count)
        for url in urls { #expect(test.transport.startedCount(url) == 2) }
    }
}
