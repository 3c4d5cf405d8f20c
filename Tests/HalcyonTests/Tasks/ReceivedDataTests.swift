import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The bytes received so far")
struct ReceivedDataTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    @Test("are the same for all tasks that share the transfer, and stay as they are")
    func shared() async throws {
        let body = Sample.encoded(Sample.noise(40, 40), .png)
        let tasks = (0..<2).map { _ in test.pipeline.task(for: url, options: [.includesOriginalData]) }
        let download = test.pipeline.configuration.downloader.task(for: url)
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.configuration.downloader.transfers.waiterCount == 2 }
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 2 }
        transfer.respond(headers: [.contentLength: "\(body.count)"])
        transfer.send(body.prefix(100))
        let early = await tasks[0].receivedData()
        transfer.send(body[100..<300])
        for data in [await tasks[0].receivedData(), await tasks[1].receivedData(), await download.receivedData()] {
            #expect(try firstDifference(#require(data), body.prefix(300)) == nil)
        }
        #expect(try firstDifference(#require(early), body.prefix(100)) == nil)
        transfer.send(body.dropFirst(300))
        transfer.finish()
        #expect(try await firstDifference(#require(tasks[0].response.data), body) == nil)
        _ = try await (tasks[1].response, download.body)
    }

    @Test("are none before the head, after the end, and where no transfer is needed")
    func nothing() async throws {
        let task = test.pipeline.task(for: url)
        let transfer = await test.transport.nextTransfer()
        #expect(await task.receivedData() == nil)
        transfer.respond()
        #expect(await task.receivedData() == Data())
        transfer.send(Sample.png())
        transfer.finish()
        _ = try await task.response
        #expect(await task.receivedData() == nil)
        #expect(await test.pipeline.task(for: url).receivedData() == nil)
        let file = test.pipeline.task(for: ImageRequest(.data(Sample.png(seed: 1))))
        #expect(await file.receivedData() == nil)
        _ = try await file.response
    }

    @Test("of a long body come from its file", arguments: [0, 1, 700, 1_100_000])
    func longBody(extra: Int) async throws {
        var configuration = ImageDownloader.Configuration()
        configuration.memoryThreshold = 1_000
        let downloader = ImageDownloader(transport: test.transport, configuration: configuration)
        let body = Data((0..<(1_500 + extra)).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let task = downloader.task(for: url)
        let transfer = await test.transport.nextTransfer()
        transfer.respond(headers: [.contentLength: "\(body.count + 1)"])
        transfer.send(body.prefix(500))
        transfer.send(body.dropFirst(500))
        #expect(try await firstDifference(#require(task.receivedData()), body) == nil)
        transfer.send([9])
        transfer.finish()
        #expect(try await firstDifference(task.body.data, body + [9]) == nil)
        #expect(await task.receivedData() == nil)
    }

    @Test("of a second attempt are its own")
    func retried() async throws {
        let clock = ManualClock()
        let test = TestPipeline(recovery: RecoveryConfiguration(network: ManualNetwork(), clock: clock))
        let task = test.pipeline.task(for: url, options: [.retry(.fixed(base: .seconds(3)))])
        let first = await test.transport.nextTransfer()
        first.respond()
        first.send([1, 2, 3])
        #expect(await task.receivedData() == Data([1, 2, 3]))
        first.fail(.connectionLost("test"))
        await clock.waitForSleepers(1)
        #expect(await task.receivedData() == nil)
        clock.advance(by: .seconds(3))
        let second = await test.transport.nextTransfer()
        second.respond()
        second.send(Sample.png().prefix(2))
        #expect(await task.receivedData() == Sample.png().prefix(2))
        second.send(Sample.png().dropFirst(2))
        second.finish()
        _ = try await task.response
    }

    @Test("of another source are its own, also where another load has begun that one before")
    func otherSource() async {
        let other = Sample.url()
        let earlier = test.pipeline.task(for: other)
        let shared = await test.transport.nextTransfer()
        shared.respond()
        shared.send([1, 2])
        #expect(await earlier.receivedData() == Data([1, 2]))
        let task = test.pipeline.task(for: url, options: [.alternativeSources([.url(other)])])
        let first = await test.transport.nextTransfer()
        first.respond()
        first.send([3])
        #expect(await task.receivedData() == Data([3]))
        first.fail(.connectionLost("test"))
        await eventually { task.progress.receivedBytes == 2 }
        #expect(await task.receivedData() == Data([1, 2]))
        task.cancel()
        earlier.cancel()
        await test.settle()
    }
}
