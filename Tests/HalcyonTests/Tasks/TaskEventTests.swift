import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The events of a task")
struct TaskEventTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    /// The events up to the end, as words.
    private func words(_ events: AsyncStream<ImageTask.Event>) async -> [String] {
        var words: [String] = []
        for await event in events {
            switch event {
            case .began(let stage): words.append("\(stage)")
            case .progress(let progress): words.append("\(progress.receivedBytes)")
            case .finished(.success(let response)): words.append("finished from \(response.source)")
            case .finished(.failure(let error)): words.append(error is CancellationError ? "cancelled" : "failed")
            }
        }
        return words
    }

    @Test("are its stages in their order, its progress, and the end once")
    func order() async throws {
        let body = Sample.png()
        let task = test.pipeline.task(for: url, options: [.processor(.resize(to: .pixels(8, 6)))])
        let events = task.events
        let transfer = await test.transport.nextTransfer()
        transfer.respond()
        transfer.send(body.prefix(100))
        transfer.send(body.dropFirst(100))
        transfer.finish()
        _ = try await task.response
        let expected = ["cache", "load", "100", "\(body.count)", "decode", "process", "finished from network"]
        #expect(await words(events) == expected)
    }

    @Test("begin with the present state for a subscriber that comes late")
    func late() async throws {
        let task = test.pipeline.task(for: url)
        let transfer = await test.transport.nextTransfer()
        transfer.respond()
        transfer.send(Sample.png().prefix(100))
        let events = task.events
        transfer.fail(.connectionLost("test"))
        #expect(await words(events) == ["load", "100", "failed"])
    }

    @Test("have the end for a subscriber that comes after it, any number of times")
    func afterTheEnd() async throws {
        test.transport.serve(url, Sample.png())
        let task = test.pipeline.task(for: url)
        _ = try await task.response
        for _ in 0..<2 { #expect(await words(task.events).last == "finished from network") }
        #expect(await words(test.pipeline.task(for: url).events) == ["finished from memory"])
    }

    @Test("come to their end although nothing keeps the task")
    func unowned() async {
        let events = test.pipeline.task(for: url).events
        let updates = test.pipeline.task(for: url).progressUpdates
        let transfer = await test.transport.nextTransfer()
        transfer.answer(.init(body: Sample.png()))
        #expect(await words(events).last?.hasPrefix("finished") == true)
        for await _ in updates {}
    }

    @Test("tell of a cancellation once")
    func cancelled() async {
        let task = test.pipeline.task(for: url)
        let events = task.events
        _ = await test.transport.nextTransfer()
        task.cancel()
        task.cancel()
        #expect(await words(events) == ["cache", "load", "cancelled"])
    }

    @Test("of a load that joins another have the stages that the other has begun")
    func joined() async throws {
        let first = test.pipeline.task(for: url)
        let transfer = await test.transport.nextTransfer()
        transfer.respond()
        transfer.send(Sample.png().prefix(100))
        let second = test.pipeline.task(for: url)
        let events = second.events
        await eventually { second.progress.receivedBytes == 100 }
        transfer.send(Sample.png().dropFirst(100))
        transfer.finish()
        _ = try await first.response
        // It joins the load of the image, whose furthest stage is that of the bytes.
        #expect(await words(events) == ["load", "100", "\(Sample.png().count)", "decode", "finished from network"])
    }

    @Test("are in order and the end is last, however many threads report")
    func threads() async throws {
        let handle = TaskHandle<Int>(priority: .normal)
        let received = Lock<[Int]>([])
        let end = Gate()
        handle.subscribe { event in
            switch event {
            case .began: break
            case .progress(let progress): received.withLock { $0.append(progress.receivedBytes) }
            case .finished:
                received.withLock { $0.append(.max) }
                end.open()
            }
        }
        let turn = Lock(0)
        handle.start { context in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<500 {
                            let count = turn.withLock { turn in
                                turn += 1
                                return turn
                            }
                            context.report(.progress(ProgressReport(progress: ImageProgress(receivedBytes: count))))
                        }
                    }
                }
            }
            return 1
        }
        await end.wait()
        let all = received.withLock { $0 }
        #expect(zip(all, all.dropFirst()).allSatisfy { $0 < $1 })
        #expect(all.last == .max)
        #expect(all.dropLast().last == 2_000)
    }
}

@Suite("The state of a task")
struct TaskStateTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    private func word<Value>(_ state: LoadState<Value>) -> String {
        switch state {
        case .waiting: "waiting"
        case .running(let stage): "\(stage)"
        case .finished: "finished"
        case .failed(let error as ImageError): error.code
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }

    @Test("goes from waiting over the stages, and never back, to the result")
    func success() async throws {
        let handle = TaskHandle<Int>(priority: .normal)
        let (begin, end, begun) = (Gate(), Gate(), Gate())
        #expect(word(handle.loadState) == "waiting")
        handle.start { context in
            await begin.wait()
            context.begin(.decode)
            // An earlier stage, as an alternative source begins.
            context.begin(.load)
            begun.open()
            await end.wait()
            return 7
        }
        #expect(word(handle.loadState) == "waiting")
        begin.open()
        await begun.wait()
        #expect(word(handle.loadState) == "decode" && !handle.loadState.hasEnded)
        end.open()
        #expect(try await handle.result.get() == 7)
        #expect(word(handle.loadState) == "finished" && handle.loadState.hasEnded)
    }

    @Test("has the error of a failure, and says when the task was cancelled")
    func failure() async throws {
        test.transport.serve(url, Data(), status: 404)
        let failing = test.pipeline.task(for: url)
        _ = try? await failing.response
        #expect(word(failing.state) == "status")
        let cancelled = test.pipeline.task(for: Sample.url())
        cancelled.cancel()
        _ = try? await cancelled.response
        #expect(word(cancelled.state) == "cancelled")
    }

    @Test("of a download is that of its transfer")
    func download() async throws {
        let task = test.pipeline.configuration.downloader.task(for: url)
        let transfer = await test.transport.nextTransfer()
        #expect(word(task.state) == "load")
        transfer.answer(.init(body: Data([1, 2])))
        var body: Data?
        for await event in task.events {
            if case .finished(let result) = event { body = try result.get().data }
        }
        #expect(body == Data([1, 2]))
        #expect(word(task.state) == "finished")
    }
}
