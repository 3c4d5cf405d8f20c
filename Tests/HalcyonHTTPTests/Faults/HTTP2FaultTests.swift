import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("faults of HTTP/2")
struct HTTP2FaultTests {
    typealias Step = HTTP2OriginServer.Step
    typealias Request = HTTP2OriginServer.Request

    @Test("without TLS, where it is known beforehand, transfers share a connection that has brought a response")
    func priorKnowledge() async throws {
        try await withHTTP2Peer {
            HTTP2OriginServer.answer($0.stream)
        } _: { server, transport in
            try await expectGood(server, transport)
            let receivers = (0..<20).map { _ in RecordingReceiver() }
            for receiver in receivers { _ = transport.start(.patient(url: server.url()), receiver: receiver) }
            for receiver in receivers {
                let metrics = try await receiver.result().get()
                #expect(metrics.networkProtocol == "h2")
                #expect(receiver.body == Data([7]))
            }
            #expect(server.connectionCount == (CurlTransport.sharesCleartextHTTP2 ? 1 : 21))
        }
    }

    @Test("a server that speaks HTTP/1.1 only is an error")
    func noHTTP2() async throws {
        try await withServer(configuration: .init(cleartextHTTP2: true)) { _ in
            .init(body: [1])
        } _: { server, transport in
            guard let failure = await receive(transport, .patient(url: server.url())).failure() else {
                Issue.record("passed")
                return
            }
            #expect(failure.code == "connectionLost" || failure.code == "malformedResponse", "\(failure)")
        }
    }

    @Test("a stream that is reset is a lost connection, for itself alone", arguments: [false, true])
    func resetStream(afterBody: Bool) async throws {
        for code in HTTP2Frame.ErrorCode.allCases where code != .refusedStream {
            try await expectOneFailure { stream in
                let begin: [Step] = [
                    .frame(.headers(stream: stream, [.contentLength: "9"])),
                    .frame(.data(stream: stream, [1], endsStream: false)),
                ]
                return (afterBody ? begin : []) + [.frame(.resetStream(stream, code))]
            }
        }
    }

    @Test("a refused stream is asked for again, and reported if it is refused always")
    func refusedStream() async throws {
        try await withHTTP2Peer { request in
            request.connection == 0
                ? [.frame(.resetStream(request.stream, .refusedStream))] : HTTP2OriginServer.answer(request.stream)
        } _: { server, transport in
            let receiver = await receive(transport, .patient(url: server.url()))
            #expect(await receiver.failure() == nil)
            #expect(receiver.body == Data([7]))
        }
        try await withHTTP2Peer { request in
            [.frame(.resetStream(request.stream, .refusedStream))]
        } _: { server, transport in
            let receiver = await receive(transport, .patient(url: server.url()))
            guard case .connectionLost = await receiver.failure() else {
                Issue.record("\(await receiver.result())")
                return
            }
            #expect(server.requests.count < 20)
        }
    }

    @Test(
        "a request that changes nothing and is lost a second time, on a connection of its own, is reported as lost",
        .enabled(if: CurlTransport.sharesCleartextHTTP2),
        arguments: [HTTPRequest.Method.get, .head, .post, .put]
    )
    func alwaysLost(method: HTTPRequest.Method) async throws {
        let isSafe = method == .get || method == .head
        try await withHTTP2Peer { request in
            request.connection == 0 && request.stream == 1 ? HTTP2OriginServer.answer(request.stream) : [.close]
        } _: { server, transport in
            try await expectGood(server, transport)
            let body = isSafe ? nil : Data([1])
            let receiver = await receive(transport, .patient(url: server.url(), method: method, body: body))
            #expect(await receiver.failure()?.code == "connectionLost")
            // Others go out on a connection of their own at once.
            #expect(server.requests.dropFirst().map(\.connection) == (isSafe ? [0, 1] : [1]))
            #expect(receiver.violations == [] && receiver.completionCount == 1)
        }
    }

    @Test(
        "a request that a shared connection loses is sent on a new one, and counted as what it is",
        .enabled(if: CurlTransport.sharesCleartextHTTP2)
    )
    func sentAgain() async throws {
        try await withHTTP2Peer { request in
            request.connection == 0 && request.stream > 1 ? [.close] : HTTP2OriginServer.answer(request.stream)
        } _: { server, transport in
            try await expectGood(server, transport)
            let receiver = await receive(transport, .patient(url: server.url()))
            let metrics = try await receiver.result().get()
            #expect(receiver.body == Data([7]))
            #expect(server.requests.map(\.connection) == [0, 0, 1])
            #expect(metrics.redirectCount == 0 && metrics.redirected == .zero && !metrics.isReusedConnection)
            #expect(metrics.queued <= metrics.firstByte && metrics.firstByte <= metrics.total)
        }
    }

    @Test(
        "a request that is going to be sent once more can be cancelled, and its time runs",
        .enabled(if: CurlTransport.sharesCleartextHTTP2),
        .timeLimit(.minutes(5)),
        arguments: [true, false]
    )
    func sentAgainInVain(isCancelled: Bool) async throws {
        let arrived = Gate()
        try await withHTTP2Peer { request in
            guard request.connection == 0 else { return [.open(arrived), .awaitDisconnect] }
            return request.stream > 1 ? [.close] : HTTP2OriginServer.answer(request.stream)
        } _: { server, transport in
            try await expectGood(server, transport)
            var request = TransferRequest.patient(url: server.url())
            if !isCancelled { request.timeouts.total = .milliseconds(300) }
            let receiver = RecordingReceiver()
            let transfer = transport.start(request, receiver: receiver)
            if isCancelled {
                await arrived.wait()
                transfer.cancel()
            }
            #expect(await receiver.failure() == (isCancelled ? .cancelled : .timedOut(.total)))
            #expect(receiver.completionCount == 1)
        }
    }

    @Test(
        "a connection that says goodbye finishes the streams it has taken, and later ones get a new connection",
        .enabled(if: CurlTransport.sharesCleartextHTTP2)
    )
    func goodbye() async throws {
        let count = 6
        try await withHTTP2Peer { request in
            guard request.connection == 0, request.stream > 1 else { return HTTP2OriginServer.answer(request.stream) }
            let last = 2 * count + 1
            guard request.stream == last else { return [] }
            let answers = stride(from: 3, through: last, by: 2).flatMap { HTTP2OriginServer.answer($0) }
            return [.frame(.goAway(lastStream: last))] + answers + [.awaitDisconnect]
        } _: { server, transport in
            try await expectGood(server, transport)
            let receivers = (0..<count).map { _ in RecordingReceiver() }
            for receiver in receivers { _ = transport.start(.patient(url: server.url()), receiver: receiver) }
            for receiver in receivers {
                #expect(await receiver.failure() == nil)
                #expect(receiver.body == Data([7]))
            }
            let next = try await receive(transport, .patient(url: server.url())).result().get()
            #expect(!next.isReusedConnection)
            #expect(server.connectionCount == 2)
        }
    }

    @Test(
        "requests that a shared connection loses when it ends are sent again",
        .enabled(if: CurlTransport.sharesCleartextHTTP2),
        arguments: [HTTPRequest.Method.get, .head]
    )
    func endedConnection(method: HTTPRequest.Method) async throws {
        try await withHTTP2Peer { request in
            request.connection == 0 && request.stream > 1 ? [.close] : HTTP2OriginServer.answer(request.stream)
        } _: { server, transport in
            try await expectGood(server, transport)
            let receiver = await receive(transport, .patient(url: server.url(), method: method))
            #expect(await receiver.failure() == nil)
            #expect(receiver.violations == [] && receiver.completionCount == 1)
        }
    }

    @Test(
        "streams that a goodbye leaves out are asked for again or lost, and never hang",
        .enabled(if: CurlTransport.sharesCleartextHTTP2),
        arguments: [0, 1, 7]
    )
    func lowerGoodbye(lastStream: Int) async throws {
        let count = 6
        try await withHTTP2Peer { request in
            guard request.connection == 0, request.stream > 1 else { return HTTP2OriginServer.answer(request.stream) }
            guard request.stream == 2 * count + 1 else { return [] }
            let answers = stride(from: 3, through: lastStream, by: 2).flatMap { HTTP2OriginServer.answer($0) }
            return [.frame(.goAway(lastStream: lastStream, .enhanceYourCalm))] + answers + [.awaitDisconnect]
        } _: { server, transport in
            try await expectGood(server, transport)
            let receivers = (0..<count).map { _ in RecordingReceiver() }
            for receiver in receivers { _ = transport.start(.patient(url: server.url()), receiver: receiver) }
            for receiver in receivers {
                switch await receiver.result() {
                case .success: #expect(receiver.body == Data([7]))
                case .failure(.connectionLost): break
                case .failure(let failure): Issue.record("\(failure)")
                }
                #expect(receiver.violations == [] && receiver.completionCount == 1)
            }
            try await expectGood(server, transport)
        }
    }

    @Test("a connection that says goodbye while it answers, or before, is not used again", arguments: [1, 0])
    func goodbyeToOne(lastStream: Int) async throws {
        try await withHTTP2Peer { request in
            let goodbye = HTTP2Frame.goAway(lastStream: lastStream)
            guard request.connection == 0 else { return HTTP2OriginServer.answer(request.stream) }
            return [.frame(goodbye)] + (lastStream == 1 ? HTTP2OriginServer.answer(1) : []) + [.awaitDisconnect]
        } _: { server, transport in
            let receiver = await receive(transport, .patient(url: server.url()))
            switch await receiver.result() {
            case .success: #expect(receiver.body == Data([7]))
            case .failure(.connectionLost): #expect(lastStream == 0)
            case .failure(let failure): Issue.record("\(failure)")
            }
            try await expectGood(server, transport)
        }
    }

    @Test("a body without length that ends with its connection, not its stream, is lost", arguments: [true, false])
    func bodyWithoutEnd(isReset: Bool) async throws {
        try await expectOneFailure { stream in
            [
                .frame(.headers(stream: stream)),
                .frame(.data(stream: stream, [1, 2], endsStream: false)),
                isReset ? .frame(.goAway(lastStream: stream, .internalError)) : .close,
                .close,
            ]
        }
    }

    @Test(
        "a connection that ends in the middle of its streams is lost for each of them",
        .enabled(if: CurlTransport.sharesCleartextHTTP2)
    )
    func closed() async throws {
        let count = 6
        try await withHTTP2Peer { request in
            guard request.connection == 0, request.stream > 1 else { return HTTP2OriginServer.answer(request.stream) }
            guard request.stream == 2 * count + 1 else {
                return [
                    .frame(.headers(stream: request.stream, [.contentLength: "2"])),
                    .frame(.data(stream: request.stream, [1], endsStream: false)),
                ]
            }
            return [.close]
        } _: { server, transport in
            try await expectGood(server, transport)
            let receivers = (0..<count).map { _ in RecordingReceiver() }
            for receiver in receivers { _ = transport.start(.patient(url: server.url()), receiver: receiver) }
            for receiver in receivers {
                switch await receiver.result() {
                // The last stream had no answer yet, so it may have been asked for again.
                case .success: #expect(receiver.body == Data([7]))
                case .failure(.connectionLost): break
                case .failure(let failure): Issue.record("\(failure)")
                }
            }
            try await expectGood(server, transport)
        }
    }

    @Test("a body that contradicts its length is an error", arguments: ["3", "1"])
    func length(announced: String) async throws {
        try await expectOneFailure { stream in
            [
                .frame(.headers(stream: stream, [.contentLength: announced])),
                .frame(.data(stream: stream, [1, 2])),
            ]
        }
    }

    @Test("headers without end are stopped, in one block or continued for ever")
    func headerFlood() async throws {
        let padding: HTTPFields = [.acceptLanguage: String(repeating: "a", count: 8000)]
        let block = HTTP2Frame.block(status: nil, padding)
        try await expectOneFailure(["headersTooLarge", "connectionLost", "malformedResponse"]) { stream in
            let more = HTTP2Frame.continuation(stream: stream, block: block, endsHeaders: false)
            return [.frame(.headers(stream: stream, padding, endsHeaders: false)), .endless(more)]
        }
        try await expectOneFailure(["headersTooLarge", "connectionLost", "malformedResponse"]) { stream in
            let empty = HTTP2Frame.continuation(stream: stream, block: [], endsHeaders: false)
            return [.frame(.headers(stream: stream, endsHeaders: false)), .endless(empty)]
        }
        try await expectOneFailure(["headersTooLarge", "connectionLost", "malformedResponse"]) { stream in
            [.endless(.headers(stream: stream, status: 103, padding))]
        }
    }

    /// One field of 4,000 bytes, kept in the table, then a byte for each time that it comes again (CVE-2016-6581).
    @Test("a few bytes that stand for many headers are stopped")
    func headerBomb() async throws {
        let value = [UInt8](repeating: 0x61, count: 4000)
        // A literal with indexing, "x" and a length of 127 + 3873; then entry 62, the first of the dynamic table.
        let entry: [UInt8] = [0x40, 1, 0x78, 127, 0xA1, 0x1E] + value
        let block = [0x88] + entry + [UInt8](repeating: 0x80 | 62, count: 10_000)
        try await expectOneFailure(["headersTooLarge", "connectionLost", "malformedResponse"]) { stream in
            [.frame(HTTP2Frame(.headers, flags: HTTP2Frame.endHeaders, stream: stream, payload: block))]
        }
    }

    @Test(
        "frames that break the rules are an error",
        arguments: ["size", "stream", "padding", "hpack", "push", "bytes"]
    )
    func brokenFrames(kind: String) async throws {
        try await expectOneFailure { stream in
            switch kind {
            case "size": [.frame(.data(stream: stream, [UInt8](repeating: 0, count: 1 << 20)))]
            case "stream": [.frame(.data(stream: 0, [1]))]
            case "padding":
                [
                    .frame(.headers(stream: stream, [.contentLength: "1"])),
                    .frame(HTTP2Frame(.data, flags: 0x09, stream: stream, payload: [200, 1])),
                ]
            case "hpack":
                [
                    .frame(
                        HTTP2Frame(.headers, flags: HTTP2Frame.endHeaders, stream: stream, payload: [0xFF, 0xFF, 0xFF])
                    )
                ]
            case "push":
                [.frame(HTTP2Frame(.pushPromise, flags: HTTP2Frame.endHeaders, stream: stream, payload: [0, 0, 0, 2]))]
            default: [.bytes([UInt8](repeating: 0xFF, count: 100))]
            }
        }
    }

    @Test("silence on a stream is an idle timeout, and its connection is not used again")
    func silence() async throws {
        try await withHTTP2Peer { request in
            guard request.connection == 0 else { return HTTP2OriginServer.answer(request.stream) }
            return request.stream == 1 ? [.frame(.headers(stream: 1, [.contentLength: "3"]))] : []
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.timeouts.idle = .milliseconds(200)
            #expect(await receive(transport, request).failure() == .timedOut(.idle))
            try await expectGood(server, transport)
        }
    }

    @Test("a window that never opens for the request's body is an idle timeout")
    func closedWindow() async throws {
        // Setting 4 is the window that each stream begins with (RFC 9113, section 6.5.2).
        let server = try HTTP2OriginServer(settings: [4: 0]) { HTTP2OriginServer.answer($0.stream) }
        defer { server.stop() }
        let transport = CurlTransport(configuration: .init(cleartextHTTP2: true))
        defer { transport.shutdown() }
        // The client may send before it knows the settings: a request without body brings them.
        try await expectGood(server, transport)
        var request = TransferRequest.patient(url: server.url(), method: .post, body: Data(count: 100_000))
        request.timeouts.idle = .milliseconds(200)
        #expect(await receive(transport, request).failure() == .timedOut(.idle))
        try await expectGood(server, transport)
    }

    @Test("a connection that allows no stream is an idle timeout")
    func noStreams() async throws {
        // Setting 3 is the number of streams at a time.
        let server = try HTTP2OriginServer(settings: [3: 0]) { _ in [] }
        defer { server.stop() }
        let transport = CurlTransport(configuration: .init(cleartextHTTP2: true))
        defer { transport.shutdown() }
        var request = TransferRequest.patient(url: server.url())
        request.timeouts = .init(connect: .milliseconds(300), idle: .milliseconds(300), total: .milliseconds(300))
        for _ in 0..<2 {
            guard case .timedOut = await receive(transport, request).failure() else {
                Issue.record("not timed out")
                return
            }
        }
    }

    /// The first stream of the first connection meets `fault`; it fails, and the next transfer does not.
    private func expectOneFailure(
        _ codes: [String] = ["connectionLost", "malformedResponse"],
        fault: @escaping @Sendable (Int) -> [Step]
    ) async throws {
        try await withHTTP2Peer { request in
            request.connection == 0 && request.stream == 1 ? fault(1) : HTTP2OriginServer.answer(request.stream)
        } _: { server, transport in
            let receiver = await receive(transport, .patient(url: server.url()))
            let failure = await receiver.failure()
            #expect(codes.contains(failure?.code ?? "none"), "\(String(describing: failure))")
            #expect(receiver.violations == [] && receiver.completionCount == 1)
            try await expectGood(server, transport)
        }
    }
}
