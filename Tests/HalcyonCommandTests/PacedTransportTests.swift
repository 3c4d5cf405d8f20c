import Dispatch
import FoundationEssentials
import Halcyon
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonCommand

/// `--rate` and `--limit-rate`: what waits, and what does not.
@Suite struct PacedTransportTests {
    /// A transport that notes its requests and sends nothing by itself.
    private final class Recorder: HTTPTransport {
        final class Started: Transfer {
            let receiver: any TransferReceiver
            let priority = Lock<LoadPriority?>(nil)

            init(_ receiver: any TransferReceiver) { self.receiver = receiver }

            func cancel() { receiver.didComplete(.failure(.cancelled)) }
            func setPriority(_ priority: LoadPriority) { self.priority.withLock { $0 = priority } }
            func resume() {}
        }

        let started = Lock<[(url: String, transfer: Started)]>([])

        var cacheScope: String? { nil }

        func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
            let transfer = Started(receiver)
            started.withLock { $0.append((request.url.absoluteString, transfer)) }
            return transfer
        }

        var urls: [String] { started.withLock { $0.map(\.url) } }
    }

    private final class Receiver: TransferReceiver {
        let ends = Lock<[Result<TransferMetrics, TransferError>]>([])

        func didReceive(response: TransferResponse) throws(TransferError) {}
        func didReceive(bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand { .proceed }
        func didComplete(_ result: Result<TransferMetrics, TransferError>) { ends.withLock { $0.append(result) } }
    }

    private func request(_ url: String) throws -> TransferRequest {
        TransferRequest(url: try #require(URL(string: url)))
    }

    @Test(
        "a host's second request waits for its time, another host's does not, and one that is cancelled is never sent"
    )
    func hostRate() throws {
        let recorder = Recorder()
        // One an hour: no test waits for that.
        let transport = PacedTransport(recorder, hostRate: 1.0 / 3600, byteRate: nil, failures: HostFailures())
        let receivers = (0..<3).map { _ in Receiver() }
        let urls = ["http://a.test/1", "http://A.test:80/2", "http://b.test/1"]
        let transfers = try zip(urls, receivers).map { transport.start(try request($0), receiver: $1) }
        #expect(recorder.urls == [urls[0], urls[2]])
        for _ in 0..<2 { transfers[1].cancel() }
        #expect(receivers[1].ends.withLock { $0.count } == 1)
        #expect(receivers[0].ends.withLock { $0.isEmpty })
        transfers[0].cancel()
        #expect(receivers[0].ends.withLock { $0.count } == 1)
        #expect(recorder.urls.count == 2)
    }

    private func unavailable(_ seconds: Int?) -> ImageError {
        ImageError(
            stage: .load,
            reason: .status(503),
            source: "http://a.test/1",
            retryAfter: seconds.map { .seconds($0) }
        )
    }

    @Test("a host that asks for time is sent nothing meanwhile, others are")
    func retryAfter() throws {
        let (recorder, failures) = (Recorder(), HostFailures())
        let transport = PacedTransport(recorder, hostRate: nil, byteRate: nil, failures: failures)
        // More than is waited for is no wait; and none is longer than what was asked for before.
        for seconds in [601, 500, 1] { failures.note(unavailable(seconds), of: "a.test:80") }
        let receivers = (0..<2).map { _ in Receiver() }
        let urls = ["http://A.test/1", "http://b.test/1"]
        let transfers = try zip(urls, receivers).map { transport.start(try request($0), receiver: $1) }
        #expect(recorder.urls == [urls[1]])
        // What succeeds that was sent before does not end the wait.
        failures.note(nil, of: "a.test:80")
        #expect(failures.isLeftForLast("a.test:80") && !failures.isLeftForLast("b.test:80"))
        transfers[0].cancel()
        #expect(receivers[0].ends.withLock { $0.count } == 1 && recorder.urls.count == 1)
    }

    @Test("failures of what was sent before a host asked for time are counted once")
    func failuresWhileWaiting() {
        let failures = HostFailures()
        for _ in 0..<20 { failures.note(unavailable(500), of: "a.test:80") }
        #expect(!failures.isFailing("a.test:80") && failures.isLeftForLast("a.test:80"))
        for _ in 0..<20 { failures.note(unavailable(nil), of: "b.test:80") }
        #expect(failures.isFailing("b.test:80"))
        failures.note(nil, of: "b.test:80")
        #expect(!failures.isFailing("b.test:80"))
    }

    @Test("a wait of up to ten minutes is kept, and a longer one is said", arguments: [300, 600, 601])
    func longWait(seconds: Int) async throws {
        let error = unavailable(seconds)
        let url = try #require(URL(string: "http://a.test/1"))
        let decision = await RunRetries(count: 2, failures: HostFailures())
            .decide(RetryContext(source: .url(url), error: error))
        #expect(decision == (seconds > 600 ? .stop : .retry(after: .seconds(seconds))))
        #expect(error.fullMessage.contains("asks to wait \(seconds) s") == (seconds > 600))
    }

    @Test(
        "a transfer may take a day, as long as bytes come",
        arguments: [[], ["--timeout", "3"], ["--limit-rate", "1k"]]
    )
    func total(arguments: [String]) throws {
        let options = ImageOptions().applying(try NetworkArguments.parse(arguments).options(HostFailures()))
        #expect(options.network.timeouts?.total == .seconds(86_400))
        #expect(options.network.timeouts?.idle == .seconds(arguments.first == "--timeout" ? 3 : 15))
    }

    /// A transport whose transfers get bytes before it has returned them.
    private final class EagerTransport: HTTPTransport {
        final class Started: Transfer {
            let isResumed = Gate()

            func cancel() {}
            func setPriority(_ priority: LoadPriority) {}
            func resume() { isResumed.open() }
        }

        let transfer = Started()
        /// Called with the answer to the bytes.
        let interim: @Sendable (TransferDemand?) -> Void

        init(interim: @escaping @Sendable (TransferDemand?) -> Void) { self.interim = interim }

        var cacheScope: String? { nil }

        func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
            if request.url.path() == "/eager" {
                interim([1, 2, 3].withUnsafeBytes { try? receiver.didReceive(bytes: $0) })
            }
            return transfer
        }
    }

    private final class PausingReceiver: TransferReceiver {
        func didReceive(response: TransferResponse) throws(TransferError) {}
        func didReceive(bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand { .pause }
        func didComplete(_ result: Result<TransferMetrics, TransferError>) {}
    }

    @Test("a transfer that is resumed before its transport has returned it goes on", .timeLimit(.minutes(1)))
    func earlyResumption() async throws {
        let (paced, isKnown) = (Lock<(any Transfer)?>(nil), DispatchSemaphore(value: 0))
        let inner = EagerTransport { demand in
            #expect(demand == .pause)
            #expect(isKnown.wait(timeout: .now() + 30) == .success)
            paced.withLock { $0 }?.resume()
        }
        let transport = PacedTransport(inner, hostRate: 2, byteRate: nil, failures: HostFailures())
        // It takes the host's time, so that the next one begins later, on another thread.
        _ = transport.start(try request("http://a.test/first"), receiver: Receiver())
        let transfer = transport.start(try request("http://a.test/eager"), receiver: PausingReceiver())
        paced.withLock { $0 = transfer }
        isKnown.signal()
        await inner.transfer.isResumed.wait()
    }

    @Test("bytes beyond the rate hold all transfers back, and those within it none", arguments: [1, 1 << 40])
    func byteRate(rate: Int) throws {
        let recorder = Recorder()
        let transport = PacedTransport(recorder, hostRate: nil, byteRate: rate, failures: HostFailures())
        let receiver = Receiver()
        _ = transport.start(try request("http://a.test/"), receiver: receiver)
        let inner = try #require(recorder.started.withLock { $0.first?.transfer.receiver })
        let demand = try [UInt8](repeating: 0, count: 1_000).withUnsafeBytes { try inner.didReceive(bytes: $0) }
        #expect(demand == (rate == 1 ? .pause : .proceed))
    }
}
