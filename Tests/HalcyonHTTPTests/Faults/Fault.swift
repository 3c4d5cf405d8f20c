import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

/// One way in which a server misbehaves, and what the transport must make of it.
struct Fault: Sendable, CustomTestStringConvertible {
    typealias Response = OriginServer.Response

    /// The kind of error, its words aside, or the response that is a success all the same.
    enum Outcome: Equatable, Sendable {
        case connectionLost
        case malformedResponse
        case redirectRefused
        case headersTooLarge
        case bodyTooLarge
        case response(Int, [UInt8] = [])
    }

    let name: String
    let outcome: Outcome
    let response: Response
    var method = HTTPRequest.Method.get
    var limits = TransferLimits.standard

    init(
        _ name: String,
        is outcome: Outcome,
        _ response: Response,
        method: HTTPRequest.Method = .get,
        limits: TransferLimits = .standard
    ) {
        self.name = name
        self.outcome = outcome
        self.response = response
        self.method = method
        self.limits = limits
    }

    /// A server that writes `text` and closes.
    init(
        _ name: String,
        is outcome: Outcome,
        _ text: String,
        method: HTTPRequest.Method = .get,
        limits: TransferLimits = .standard
    ) {
        let response = Response(steps: [.bytes(Array(text.utf8)), .close])
        self.init(name, is: outcome, response, method: method, limits: limits)
    }

    var testDescription: String { name }

    /// A server that does this at "/fault", and answers everything else well.
    var handler: OriginServer.Handler {
        { [response] request in
            request.path == "/fault" ? response : .init(body: Self.goodBody)
        }
    }

    private static let goodBody: [UInt8] = [4, 2]

    /// Meets the fault, then asks the same server for something it answers well; what was wrong with either, in words.
    func problems(_ server: OriginServer, _ transport: CurlTransport) async -> [String] {
        let request = TransferRequest.patient(url: server.url("/fault"), method: method, limits: limits)
        let receiver = await receive(transport, request)
        var problems = receiver.violations
        if receiver.completionCount != 1 { problems.append("\(receiver.completionCount) completions") }
        problems += await misjudgements(receiver, server)
        // On the connection that the fault has left, if any.
        for _ in 0..<2 {
            let next = await receive(transport, TransferRequest.patient(url: server.url("/good")))
            if let failure = await next.failure() {
                problems.append("the next request failed: \(failure)")
            } else if next.response?.status != 200 || next.body != Data(Self.goodBody) {
                problems.append("the next request got \(next.response?.status ?? 0), \(Array(next.body))")
            }
        }
        return problems.map { "\(name): \($0)" }
    }

    private func misjudgements(_ receiver: RecordingReceiver, _ server: OriginServer) async -> [String] {
        if case .response(let status, let body) = outcome {
            if let failure = await receiver.failure() { return ["failed: \(failure)"] }
            guard receiver.response?.status == status, receiver.body == Data(body) else {
                return ["delivered \(receiver.response?.status ?? 0), \(Array(receiver.body.prefix(100)))"]
            }
            return []
        }
        guard let failure = await receiver.failure() else {
            return ["passed with \(receiver.response?.status ?? 0), \(Array(receiver.body.prefix(100)))"]
        }
        guard Self.kind(failure) == outcome else { return ["wrong kind: \(failure)"] }
        switch outcome {
        case .bodyTooLarge, .headersTooLarge: return []
        default: return "\(failure)".contains("127.0.0.1:\(server.port)") ? [] : ["nameless: \(failure)"]
        }
    }

    private static func kind(_ error: TransferError) -> Outcome? {
        switch error {
        case .connectionLost: .connectionLost
        case .malformedResponse: .malformedResponse
        case .redirectRefused: .redirectRefused
        case .headersTooLarge: .headersTooLarge
        case .bodyTooLarge: .bodyTooLarge
        default: nil
        }
    }
}

/// Meets `fault` with a server and a transport of its own.
func expectNoProblems(_ fault: Fault) async throws {
    try await withServer(fault.handler) { server, transport in
        let problems = await fault.problems(server, transport)
        #expect(problems == [])
    }
}
