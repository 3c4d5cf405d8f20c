import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

extension Fault {
    /// Redirects that lead nowhere good.
    static let redirects: [Fault] = [
        Fault("to a file", is: .redirectRefused, .redirect(to: "file:///etc/passwd")),
        Fault("to a file, by a name in capitals", is: .redirectRefused, .redirect(to: "FILE:///etc/passwd")),
        Fault("to data", is: .redirectRefused, .redirect(to: "data:image/png;base64,AAAA")),
        Fault("to a script", is: .redirectRefused, .redirect(to: "javascript:alert(1)")),
        Fault("to FTP", is: .redirectRefused, .redirect(to: "ftp://127.0.0.1/x")),
        Fault("to no host", is: .malformedResponse, .redirect(to: "http://")),
        Fault("to a port that is none", is: .malformedResponse, .redirect(to: "http://127.0.0.1:99999/")),
        Fault("with an empty target, which is a response", is: .response(302), .redirect(to: "")),
        Fault("without a target, which is a response", is: .response(301, [5]), Response(301, body: [5])),
    ]
}

@Suite("redirects that lead nowhere good")
struct RedirectFaultTests {
    @Test("are an error or a response, and leave the transport well", arguments: Fault.redirects)
    func fault(_ fault: Fault) async throws {
        try await expectNoProblems(fault)
    }

    @Test("a loop ends at the limit, and leaves the transport well", arguments: [1, 2, 7])
    func loop(length: Int) async throws {
        try await withServer { request in
            guard let number = Int(request.path.dropFirst()) else { return .init(body: [1]) }
            return .redirect(to: "/\((number + 1) % length)")
        } _: { server, transport in
            let receiver = await receive(transport, .patient(url: server.url("/0")))
            #expect(await receiver.failure() == .tooManyRedirects(maximum: 20))
            #expect(receiver.response == nil && receiver.body.isEmpty)
            #expect(receiver.completionCount == 1 && receiver.violations == [])
            #expect(server.requests.count == 21)
            #expect(await receive(transport, .patient(url: server.url("/good"))).body == Data([1]))
        }
    }

    @Test("a chain of just the limit arrives")
    func chain() async throws {
        try await withServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return number < 10 ? .redirect(to: "/\(number + 1)") : .init(body: [1])
        } _: { server, transport in
            #expect(await receive(transport, .patient(url: server.url("/0"))).body == Data([1]))
        }
    }

    @Test("a chain to a dead port is no connection")
    func dead() async throws {
        let dead = try UnansweredPort()
        try await withServer { _ in
            .redirect(to: "http://127.0.0.1:\(dead.number)/")
        } _: { server, transport in
            let failure = await receive(transport, .patient(url: server.url())).failure()
            guard case .cannotConnect(let message) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(message.contains("127.0.0.1:\(dead.number)"))
        }
    }

    @Test("a chain that goes silent is an idle timeout")
    func silent() async throws {
        try await withServer { request in
            request.path == "/" ? .redirect(to: "/silence") : .silence
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.timeouts.idle = .milliseconds(200)
            #expect(await receive(transport, request).failure() == .timedOut(.idle))
        }
    }
}
