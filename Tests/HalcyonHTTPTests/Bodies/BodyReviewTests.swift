import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("a review of the head")
struct BodyReviewTests {
    private struct Refusal: Error, Equatable {}

    private let transport = ScriptedTransport()
    private let url = URL(string: "http://example.com/a")

    private func start(
        threshold: Int = 4 << 20,
        _ review: @escaping @Sendable (TransferResponse) async throws -> Void
    ) async throws -> (Task<HTTPResponseBody, any Error>, ScriptedTransfer) {
        let request = TransferRequest(url: try #require(url))
        var configuration = BodyLoader.Configuration()
        configuration.memoryThreshold = threshold
        let loader = BodyLoader(transport: transport, configuration: configuration)
        let task = Task { try await loader.load(request, review: review) }
        return (task, await transport.nextTransfer())
    }

    @Test("holds the transfer after one piece until it is done", arguments: [4 << 20, 0])
    func pause(threshold: Int) async throws {
        let asked = Gate()
        let answer = Gate()
        let (task, transfer) = try await start(threshold: threshold) { response in
            #expect(response.status == 200)
            asked.open()
            await answer.wait()
        }
        transfer.respond()
        await asked.wait()
        transfer.send([1, 2])
        transfer.send([3])
        transfer.finish()
        #expect(transfer.isPaused && transfer.result == nil)
        answer.open()
        #expect(try await task.value.data == Data([1, 2, 3]))
    }

    @Test("holds a transfer that ends with its first piece, or without any", arguments: [0, 1])
    func early(count: Int) async throws {
        let asked = Gate()
        let answer = Gate()
        let (task, transfer) = try await start { _ in
            asked.open()
            await answer.wait()
        }
        transfer.respond(headers: [.contentLength: "\(count)"])
        await asked.wait()
        if count == 0 {
            transfer.finish()
            await transfer.waitUntilCompleted()
        } else {
            transfer.send([7])
            transfer.finish()
        }
        answer.open()
        #expect(try await task.value.data == Data(repeating: 7, count: count))
    }

    @Test("that throws ends the transfer, and its error is thrown", arguments: [true, false])
    func refusal(sendsBytes: Bool) async throws {
        let answer = Gate()
        let (task, transfer) = try await start { _ in
            await answer.wait()
            throw Refusal()
        }
        transfer.respond()
        if sendsBytes { transfer.send([1]) }
        answer.open()
        await #expect(throws: Refusal.self) { try await task.value }
        #expect(transfer.isCancelled)
    }

    @Test("that throws after the transfer ended decides all the same")
    func lateRefusal() async throws {
        let asked = Gate()
        let answer = Gate()
        let (task, transfer) = try await start { _ in
            asked.open()
            await answer.wait()
            throw Refusal()
        }
        transfer.respond()
        transfer.finish()
        await transfer.waitUntilCompleted()
        await asked.wait()
        answer.open()
        await #expect(throws: Refusal.self) { try await task.value }
    }

    @Test("does not keep a failed transfer: its error is thrown, and the review's task is cancelled")
    func failure() async throws {
        let isCancelled = Gate()
        let asked = Gate()
        let (task, transfer) = try await start { _ in
            let never = Gate()
            await withTaskCancellationHandler {
                asked.open()
                await never.wait()
            } onCancel: {
                isCancelled.open()
                never.open()
            }
        }
        transfer.respond()
        await asked.wait()
        transfer.fail(.connectionLost("test"))
        await #expect(throws: TransferError.connectionLost("test")) { try await task.value }
        #expect(isCancelled.isOpen)
    }

    @Test("ends with a cancelled load, before and after the head", arguments: [true, false])
    func cancel(hasHead: Bool) async throws {
        let asked = Gate()
        let (task, transfer) = try await start { _ in
            let never = Gate()
            await withTaskCancellationHandler {
                asked.open()
                await never.wait()
            } onCancel: {
                never.open()
            }
        }
        if hasHead {
            transfer.respond()
            await asked.wait()
        }
        task.cancel()
        await #expect(throws: TransferError.cancelled) { try await task.value }
        #expect(transfer.isCancelled)
    }

    @Test("is not asked where the head was refused before")
    func accept() async throws {
        let request = TransferRequest(url: try #require(url))
        let loader = BodyLoader(transport: transport)
        let task = Task {
            try await loader.load(
                request,
                accept: { _ in throw Refusal() },
                review: { _ in Issue.record("asked") }
            )
        }
        await transport.nextTransfer().respond(status: 404)
        await #expect(throws: Refusal.self) { try await task.value }
    }

    @Test("over a real connection loses and repeats nothing")
    func real() async throws {
        let bytes = pattern(2 << 20)
        try await withServer { _ in
            .init(body: bytes)
        } _: { server, transport in
            let body = try await BodyLoader(transport: transport)
                .load(TransferRequest.patient(url: server.url()), review: { _ in await Task.yield() })
            #expect(firstDifference(body.data, bytes) == nil)
        }
    }
}
