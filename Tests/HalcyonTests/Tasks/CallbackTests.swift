import Dispatch
import FoundationEssentials
import Glibc
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Callbacks of a load")
struct CallbackTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    /// The calls of one load, as words.
    private final class Calls: Sendable {
        private let state = Lock<[String]>([])
        let end = Gate()

        var words: [String] { state.withLock { $0 } }

        func progress(_ progress: ImageProgress) {
            state.withLock { $0.append("\(progress.receivedBytes)") }
        }

        func complete(_ result: Result<ImageResponse, any Error>) {
            let word =
                switch result {
                case .success(let response): "\(response.source)"
                case .failure(is CancellationError): "cancelled"
                case .failure(let error): "\((error as? ImageError)?.code ?? "unknown")"
                }
            state.withLock { $0.append(word) }
            end.open()
        }
    }

    /// A queue that knows itself.
    private struct MarkedQueue: Sendable {
        private static let key = DispatchSpecificKey<String>()
        let queue: DispatchQueue
        private let name: String

        init(_ queue: DispatchQueue) {
            self.queue = queue
            name = queue.label
            queue.setSpecific(key: Self.key, value: name)
        }

        var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == name }
    }

    @Test("are the progress, then the completion once")
    func order() async {
        let (calls, body) = (Calls(), Sample.png())
        test.pipeline.loadImage(with: url, on: .calling, progress: calls.progress, completion: calls.complete)
        let transfer = await test.transport.nextTransfer()
        transfer.respond()
        transfer.send(body.prefix(100))
        transfer.send(body.dropFirst(100))
        transfer.finish()
        await calls.end.wait()
        await test.settle()
        #expect(calls.words == ["100", "\(body.count)", "network"])
    }

    @Test("are made on the main actor unless something else is said")
    func mainActor() async {
        let (calls, main) = (Calls(), MarkedQueue(.main))
        let wasMain = Lock(false)
        test.transport.serve(url, Sample.png())
        test.pipeline.loadImage(with: url) { result in
            wasMain.withLock { $0 = main.isCurrent }
            // Traps elsewhere.
            MainActor.assumeIsolated {}
            calls.complete(result)
        }
        await calls.end.wait()
        #expect(wasMain.withLock { $0 })
    }

    @Test("for an image in memory come before the call returns on the main actor, and later if that is asked for")
    @MainActor
    func memoryHit() async throws {
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url)
        let (now, later) = (Calls(), Calls())
        test.pipeline.loadImage(with: url, completion: now.complete)
        #expect(now.words == ["memory"])
        test.pipeline.loadImage(with: url, on: .mainActorLater, completion: later.complete)
        #expect(later.words == [])
        await later.end.wait()
        #expect(later.words == ["memory"])
    }

    @Test("for an image in memory that is asked for elsewhere are made on the main actor")
    func memoryHitElsewhere() async throws {
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url)
        let (calls, main, wasMain) = (Calls(), MarkedQueue(.main), Lock(false))
        try await onThread { [test, url] in
            _ = test.pipeline.loadImage(with: url) { result in
                wasMain.withLock { $0 = main.isCurrent }
                calls.complete(result)
            }
        }
        await calls.end.wait()
        #expect(wasMain.withLock { $0 })
    }

    @Test("are made on the queue of the options, or of the call")
    func queue() async {
        test.transport.serve(url, Sample.png())
        let (ofOptions, ofCall) = (MarkedQueue(.init(label: "options")), MarkedQueue(.init(label: "call")))
        let options: [ImageOption] = [.callbackExecutor(.queue(ofOptions.queue))]
        for executor in [nil, CallbackExecutor.queue(ofCall.queue)] {
            let (calls, wasThere) = (Calls(), Lock(false))
            test.pipeline.loadImage(with: url, options: options, on: executor) { result in
                wasThere.withLock { $0 = executor == nil ? ofOptions.isCurrent : ofCall.isCurrent }
                calls.complete(result)
            }
            await calls.end.wait()
            #expect(wasThere.withLock { $0 })
        }
    }

    @Test("hold no more than the latest progress for a slow place, and are made once however often that runs them")
    func slowPlace() async throws {
        let (calls, body) = (Calls(), Sample.png())
        let waiting = Lock<[@Sendable () -> Void]>([])
        let executor = CallbackExecutor.custom { work in waiting.withLock { $0.append(work) } }
        let task = test.pipeline.loadImage(
            with: url,
            on: executor,
            progress: calls.progress,
            completion: calls.complete
        )
        let transfer = await test.transport.nextTransfer()
        transfer.respond()
        for count in 1...5 { transfer.send(body[(count - 1)..<count]) }
        #expect(waiting.withLock { $0.count } == 1)
        transfer.send(body.dropFirst(5))
        transfer.finish()
        _ = try await task.response
        await eventually {
            for work in waiting.withLock({ $0 }) {
                work()
                work()
            }
            return calls.end.isOpen
        }
        #expect(calls.words == ["\(body.count)", "network"])
    }

    @Test("come one after the other on a concurrent queue, the completion last")
    func concurrentQueue() async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let calls = Calls()
        let relay = CallbackRelay<ImageResponse>(
            .queue(queue),
            progress: { progress in
                // Time for others to overtake, if they could.
                for _ in 0..<200 where !calls.end.isOpen { sched_yield() }
                calls.progress(progress)
            },
            completion: calls.complete
        )
        for count in 1...200 { relay.report(ImageProgress(receivedBytes: count)) }
        relay.end(with: .failure(CancellationError()))
        relay.report(ImageProgress(receivedBytes: 1_000))
        await calls.end.wait()
        let counts = calls.words.dropLast().compactMap { Int($0) }
        #expect(counts == counts.sorted() && counts.last == 200)
        #expect(calls.words.last == "cancelled")
    }

    @Test("tell of a cancellation, once")
    func cancelled() async {
        let calls = Calls()
        let task = test.pipeline.loadImage(with: url, on: .calling, completion: calls.complete)
        _ = await test.transport.nextTransfer()
        task.cancel()
        await calls.end.wait()
        task.cancel()
        await test.settle()
        #expect(calls.words == ["cancelled"])
    }

    @Test("tell of a failure")
    func failed() async {
        let calls = Calls()
        test.transport.serve(url, Data(), status: 404)
        test.pipeline.loadImage(with: url, on: .calling, completion: calls.complete)
        await calls.end.wait()
        #expect(calls.words == ["status"])
    }

    @Test("may use the task and the pipeline, as no lock is held")
    func reentrancy() async {
        let (first, second) = (Calls(), Calls())
        let holder = Lock<ImageTask?>(nil)
        let (test, url) = (test, url)
        let task = test.pipeline.loadImage(
            with: url,
            on: .calling,
            progress: { _ in
                guard let task = holder.withLock({ $0 }) else { return }
                _ = (task.state, task.progress, task.events)
            },
            completion: { result in
                if let task = holder.withLock({ $0 }) {
                    #expect(task.state.hasEnded)
                    task.cancel()
                    task.priority = .high
                }
                test.pipeline.loadImage(with: url, on: .calling, completion: second.complete)
                first.complete(result)
            }
        )
        holder.withLock { $0 = task }
        await test.transport.nextTransfer().answer(.init(body: Sample.png()))
        await first.end.wait()
        holder.withLock { $0 = nil }
        #expect(first.words == ["network"] && second.words == ["memory"])
    }

    @Test("end exactly once whether the result or the cancellation is first")
    func races() async {
        for round in 0..<200 {
            let (calls, url) = (Calls(), Sample.url())
            let task = test.pipeline.loadImage(with: url, options: [.noCache], on: .calling, completion: calls.complete)
            let transfer = await test.transport.nextTransfer()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { transfer.answer(.init(body: Sample.png(2, 2))) }
                group.addTask {
                    for _ in 0..<round { await Task.yield() }
                    task.cancel()
                }
            }
            await calls.end.wait()
            _ = try? await task.response
            #expect(calls.words.count == 1)
        }
        await test.settle()
    }
}
