internal import Dispatch
internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonHTTP
internal import HalcyonSystem
internal import HalcyonTesting

/// An origin whose images are different for every identity and every transfer.
///
/// It decides on the answer to a transfer when that comes, so that an answer that is delivered later is an old one.
final class SearchOrigin: HTTPTransport {
    /// The answer that a transfer will get.
    private struct Answer {
        var status = 200
        var headers: HTTPFields = [:]
        var body = Data()
        var fails = false
        /// The URL to which redirects have led.
        var url: URL?
    }

    private struct Waiting {
        let transfer: ScriptedTransfer
        let resource: Int
        let answer: Answer
        var isBegun = false
    }

    private struct State {
        var waiting: [Waiting] = []
        var started: [(transfer: ScriptedTransfer, resource: Int)] = []
        var versions: [Int: Int] = [:]
        var outages: [Int: Outage] = [:]
        /// The version of an image that was sent, and the identity it was sent to.
        var sent: [Int: (version: Int, identity: Identity)] = [:]
        var random: SeededGenerator
        var count = 0
    }

    /// A field that a pipeline is configured to send.
    static let configuredField = HTTPField.Name("X-Search")

    private let program: Program
    private let model: AnswerModel
    private let planted: PlantedDefect?
    private let state: Lock<State>
    /// The lock that is held while an answer is delivered, so that no lane sends the end of a body before another has
    /// sent its beginning.
    private let delivery = Lock(())
    private let queues = (0..<3).map { DispatchQueue(label: "halcyon.search-origin.\($0)") }

    init(program: Program, model: AnswerModel, planted: PlantedDefect? = nil) {
        self.program = program
        self.model = model
        self.planted = planted
        state = Lock(State(random: SeededGenerator(seed: program.seed)))
    }

    /// Returns the URL of a resource.
    ///
    /// - Parameters:
    ///   - signature: A number that is added, and that the origin does not distinguish. Default: none.
    ///   - spelling: Default: `nil`, the normal one.
    static func url(_ resource: Int, signature: Int? = nil, spelling: Settings.Spelling? = nil) -> URL {
        let query = signature.map { "?signature=\($0)" } ?? ""
        let text =
            switch spelling {
            case nil: "https://origin.example/r\(resource)/\(query)"
            case .fragment: "https://origin.example/r\(resource)/\(query)#part"
            case .capitals: "HTTPS://Origin.EXAMPLE/r\(resource)/\(query)"
            case .port: "https://origin.example:443/r\(resource)/\(query)"
            case .escapes: "https://origin.example/%72%3\(resource)/\(query)"
            case .dots: "https://origin.example/./x/../r\(resource)/./\(query)"
            }
        guard let url = URL(string: text) else { preconditionFailure("a valid URL") }
        return url
    }

    var cacheScope: String? { nil }

    func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
        let identity = identity(of: request)
        let count = state.withLock { state in
            state.count += 1
            return state.count
        }
        if let name = Self.configuredField, request.headers[name] == nil {
            model.report(.missingHeader, "a request for \(identity) came without the configured header \(name)")
        }
        let queue = queues[count % queues.count]
        let transfer = ScriptedTransfer(request, receiver: receiver, queue: queue)
        let answer = answer(to: request, identity)
        let delay = state.withLock { state in
            state.started.removeAll { $0.transfer.result != nil }
            state.started.append((transfer, identity.resource))
            if !program.answersAtOnce {
                state.waiting.append(Waiting(transfer: transfer, resource: identity.resource, answer: answer))
            }
            // Some origins are slow, so that more transfers run at the same time.
            return Int.random(in: 0..<4, using: &state.random) * (program.seed % 3 == 0 ? 3_000 : 300)
        }
        if program.answersAtOnce {
            queue.asyncAfter(deadline: .now() + .microseconds(delay)) { [self] in
                begin(transfer, answer)
                finish(transfer, answer, isBegun: true)
            }
        }
        return transfer
    }

    private func identity(of request: TransferRequest) -> Identity {
        var identity = Identity()
        identity.resource = Int(request.url.path(percentEncoded: false).filter(\.isNumber)) ?? 0
        if let value = request.headers[.authorization] ?? request.headers[.cookie] {
            identity.user = value.last?.wholeNumberValue ?? 0
        } else if case .bearer(let token) = request.credential {
            identity.user = token.last?.wholeNumberValue ?? 0
        }
        if resource(identity).isVarying, let value = request.headers[.acceptLanguage] {
            identity.language = value.last?.wholeNumberValue ?? 0
        }
        identity.body = request.method == .post ? Int(request.body?.last ?? 0) : 0
        if planted == .sharesUsers { identity.user = min(identity.user, 1) }
        return identity
    }

    private func resource(_ identity: Identity) -> Program.Resource {
        program.resources[min(identity.resource, program.resources.count - 1)]
    }

    private func answer(to request: TransferRequest, _ identity: Identity) -> Answer {
        let resource = resource(identity)
        let (outage, version) = state.withLock { state in
            (state.outages[identity.resource] ?? .none, state.versions[identity.resource] ?? 0)
        }
        switch outage {
        case .none: break
        case .notFound: return Answer(status: 404, body: Data("gone".utf8))
        case .serverError: return Answer(status: 503)
        case .disconnected: return Answer(fails: true)
        case .noImage: return Answer(body: Data("this is no image".utf8))
        case .emptyBody: return Answer()
        }
        var answer = Answer()
        if resource.isRedirected { answer.url = request.url.appending(path: "elsewhere") }
        answer.headers[.cacheControl] = resource.policy.value
        if resource.isVarying { answer.headers[.vary] = "Accept-Language" }
        let named = request.headers[.ifNoneMatch].flatMap { Int($0.filter(\.isNumber)) }
        if let serial = named, let sent = state.withLock({ $0.sent[serial] }), sent.version == version,
            sent.identity == identity, resource.hasValidator
        {
            model.imageIsValidated(serial)
            answer.status = 304
            answer.headers[.eTag] = "\"\(serial)\""
            return answer
        }
        let serial = model.imageIsSent(to: identity)
        state.withLock { $0.sent[serial] = (version, identity) }
        if resource.hasValidator { answer.headers[.eTag] = "\"\(serial)\"" }
        let body = try? LabelledImage.encoded(
            serial: serial,
            isLarge: resource.isLarge,
            isAnimated: resource.isAnimated
        )
        answer.body = body ?? Data()
        return answer
    }
}

extension SearchOrigin {
    /// Returns a new image for a source of the program.
    ///
    /// - Throws: An error during an outage.
    func bytes(for identity: Identity) throws -> Data {
        if program.isUntrusted == true { model.report(.forbiddenSource, "the source of \(identity) is loaded") }
        let outage = state.withLock { $0.outages[identity.resource] ?? .none }
        guard outage == .none else { throw SearchError("the source of \(identity) fails") }
        let resource = resource(identity)
        return try LabelledImage.encoded(
            serial: model.imageIsSent(to: identity),
            isLarge: resource.isLarge,
            isAnimated: resource.isAnimated
        )
    }

    /// Changes the images of a resource: those that were sent are no longer valid.
    func publish(_ resource: Int) {
        state.withLock { $0.versions[resource, default: 0] += 1 }
    }

    func setOutage(_ resource: Int, _ outage: Outage) {
        if outage != .none { model.resourceFails(resource, isGone: outage == .notFound) }
        state.withLock { $0.outages[resource] = outage }
    }

    /// The number of transfers that have not been answered.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// The number of transfers whose receiver has no result yet.
    var unfinishedCount: Int { state.withLock { $0.started.count { $0.transfer.result == nil } } }

    /// The number of transfers so far.
    var startedCount: Int { state.withLock { $0.count } }

    /// Answers one of the transfers that wait, counted from the oldest; wholly, or with half of the body.
    func deliver(_ index: Int, isPart: Bool = false) {
        delivery.withLock { _ in deliverInTurn(index, isPart: isPart) }
    }

    private func deliverInTurn(_ index: Int, isPart: Bool) {
        let waiting = state.withLock { state -> Waiting? in
            guard !state.waiting.isEmpty else { return nil }
            let index = index % state.waiting.count
            let waiting = state.waiting[index]
            if isPart {
                guard !waiting.isBegun else { return nil }
                state.waiting[index].isBegun = true
            } else {
                state.waiting.remove(at: index)
            }
            return waiting
        }
        guard let waiting else { return }
        if !waiting.isBegun { begin(waiting.transfer, waiting.answer) }
        if !isPart { finish(waiting.transfer, waiting.answer, isBegun: true) }
    }

    /// Answers all transfers that wait.
    func deliverAll() {
        while waitingCount > 0 { deliver(0) }
    }

    private func begin(_ transfer: ScriptedTransfer, _ answer: Answer) {
        if answer.fails { return transfer.fail(.connectionLost("the origin is gone")) }
        var headers = answer.headers
        headers[.contentLength] = String(answer.body.count)
        transfer.respond(status: answer.status, headers: headers, url: answer.url)
        if !answer.body.isEmpty { transfer.send(answer.body.prefix(answer.body.count / 2)) }
    }

    private func finish(_ transfer: ScriptedTransfer, _ answer: Answer, isBegun: Bool) {
        guard !answer.fails else { return }
        if !answer.body.isEmpty { transfer.send(answer.body.suffix(answer.body.count - answer.body.count / 2)) }
        transfer.finish()
    }
}
