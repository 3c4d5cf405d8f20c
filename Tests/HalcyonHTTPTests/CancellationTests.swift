import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("cancelling")
struct CancellationTests {
    @Test("a queued transfer ends at once and sends nothing")
    func queued() async throws {
        let arrived = Gate()
        let release = Gate()
        try await withServer(configuration: .init(maximumConcurrentTransfers: 1)) { _ in
            .init(steps: [.open(arrived), .wait(release)] + OriginServer.Response().steps)
        } _: { server, transport in
            let first = RecordingReceiver()
            _ = transport.start(TransferRequest.patient(url: server.url("/first")), receiver: first)
            await arrived.wait()
            let second = RecordingReceiver()
            transport.start(TransferRequest.patient(url: server.url("/second")), receiver: second).cancel()
            #expect(await second.failure() == .cancelled)
            #expect(first.completionCount == 0)
            release.open()
            #expect(await first.failure() == nil)
            #expect(server.requests.map(\.path) == ["/first"])
        }
    }

    @Test("a running transfer ends at once and closes its connection")
    func running() async throws {
        let arrived = Gate()
        let gone = Gate()
        try await withServer { _ in
            .init(steps: [.open(arrived), .awaitDisconnect(opening: gone)])
        } _: { server, transport in
            let receiver = RecordingReceiver()
            let transfer = transport.start(TransferRequest.patient(url: server.url()), receiver: receiver)
            await arrived.wait()
            transfer.cancel()
            transfer.cancel()
            #expect(await receiver.failure() == .cancelled)
            await gone.wait()
            #expect(receiver.completionCount == 1)
        }
    }

    @Test("inside a callback lets no further one come", arguments: ["response", "bytes"])
    func insideCallback(callback: String) async throws {
        try await withServer { _ in
            .scripted(headers: [.acceptRanges: "none"], .endless([1, 2, 3]))
        } _: { server, transport in
            let slot = TransferSlot()
            let receiver = RecordingReceiver(
                onResponse: { _ in if callback == "response" { slot.wait().cancel() } },
                onBytes: { _ in
                    slot.wait().cancel()
                    return .proceed
                }
            )
            slot.fill(transport.start(TransferRequest.patient(url: server.url()), receiver: receiver))
            #expect(await receiver.failure() == .cancelled)
            #expect(receiver.pieceCount == (callback == "response" ? 0 : 1))
            #expect(receiver.violations == [])
        }
    }

    @Test("after the end does nothing")
    func afterTheEnd() async throws {
        try await withServer { _ in
            .init(body: [1])
        } _: { server, transport in
            let receiver = RecordingReceiver()
            let transfer = transport.start(TransferRequest.patient(url: server.url()), receiver: receiver)
            _ = await receiver.result()
            transfer.cancel()
            transfer.resume()
            transfer.setPriority(.veryHigh)
            // Another transfer afterwards goes through the same queue of commands.
            #expect(await receive(transport, TransferRequest.patient(url: server.url())).failure() == nil)
            #expect(receiver.completionCount == 1)
            #expect(await receiver.failure() == nil)
        }
    }

    @Test(
        "while a name is looked up does not wait for the answer",
        .enabled(if: SilentNameServer.isAvailable, "needs the right to a network of its own")
    )
    func duringLookup() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.proxies = .none
        let server = try #require(SilentNameServer(configuration))
        defer { server.transport.shutdown() }
        let url = try #require(URL(string: "http://host.invalid/"))
        let receiver = RecordingReceiver()
        let transfer = server.transport.start(TransferRequest.patient(url: url), receiver: receiver)
        while server.takeNames().isEmpty { await Task.yield() }
        transfer.cancel()
        #expect(await receiver.failure() == .cancelled)
    }

    @Test("1,000 at a time completes each once")
    func storm() async throws {
        try await withServer(configuration: .init(maximumTransfersPerHost: 16)) { request in
            request.path.hasSuffix("7") ? .silence : .init(body: [UInt8](repeating: 1, count: 10_000))
        } _: { server, transport in
            let receivers = (0..<1000).map { _ in RecordingReceiver() }
            let transfers = receivers.enumerated().map { number, receiver in
                transport.start(TransferRequest.patient(url: server.url("/\(number)")), receiver: receiver)
            }
            await withTaskGroup(of: Void.self) { group in
                for part in 0..<4 {
                    group.addTask {
                        for number in stride(from: part, to: transfers.count, by: 4) { transfers[number].cancel() }
                    }
                }
            }
            for receiver in receivers {
                let failure = await receiver.failure()
                #expect(failure == nil || failure == .cancelled)
                #expect(receiver.completionCount == 1 && receiver.violations == [])
            }
            #expect(await receive(transport, TransferRequest.patient(url: server.url("/0"))).failure() == nil)
        }
    }

    @Test("a task cancels its transfer, and a task cancelled before sends nothing")
    func tasks() async throws {
        let arrived = Gate()
        let gone = Gate()
        try await withServer { _ in
            .init(steps: [.open(arrived), .awaitDisconnect(opening: gone)])
        } _: { server, transport in
            let request = TransferRequest.patient(url: server.url())
            let task = Task { try await transport.data(for: request) }
            await arrived.wait()
            task.cancel()
            await #expect(throws: TransferError.cancelled) { try await task.value }
            await gone.wait()

            let late = Task {
                await gone.wait()
                withUnsafeCurrentTask { $0?.cancel() }
                return try await transport.data(for: request)
            }
            await #expect(throws: TransferError.cancelled) { try await late.value }
            #expect(server.requests.count == 1)
        }
    }

    @Test("50 tasks at once ends each of them")
    func manyTasks() async throws {
        try await withServer { _ in
            .init(body: [1])
        } _: { server, transport in
            let request = TransferRequest.patient(url: server.url())
            let tasks = (0..<50).map { _ in Task { try await transport.data(for: request) } }
            for task in tasks { task.cancel() }
            for task in tasks {
                if case .failure(let error) = await task.result {
                    #expect(error as? TransferError == .cancelled)
                }
            }
        }
    }
}
