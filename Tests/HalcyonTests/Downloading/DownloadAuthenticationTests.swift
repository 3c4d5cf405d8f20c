import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A responder")
struct DownloadAuthenticationTests {
    private let test = TestDownloader()
    private let url = Sample.url()

    private func refuse(status: Int = 401, realm: String = "gallery") async -> TransferRequest {
        let transfer = await test.transport.nextTransfer()
        let name: HTTPField.Name = status == 401 ? .wwwAuthenticate : .proxyAuthenticate
        transfer.answer(.init(status: status, headers: [name: "Basic realm=\"\(realm)\", Bearer"]))
        return transfer.request
    }

    @Test("is asked on 401 with the challenges, and the request is sent again with its answer")
    func answer() async throws {
        let demands = Lock<[AuthenticationDemand]>([])
        let responder = TestHooks.credential { demand in
            demands.withLock { $0.append(demand) }
            return .basic(user: "user", password: "password")
        }
        let request = TransferRequest(url: url, headers: [.authorization: "Bearer old"])
        let task = test.downloader.task(for: request, policy: .with { $0.hooks = responder })
        _ = await refuse()
        let second = await test.transport.nextTransfer()
        #expect(second.request.credential == .basic(user: "user", password: "password"))
        #expect(second.request.headers[.authorization] == nil)
        second.answer(.init(body: Data([1])))
        #expect(try await task.body.data == Data([1]))
        let demand = try #require(demands.withLock { $0.first })
        #expect(demand.url == url && !demand.isProxy && demand.attempt == 1 && demand.rejected == nil)
        #expect(demand.challenges.map(\.scheme) == ["basic", "bearer"])
        #expect(demand.challenges.first?.realm == "gallery")
    }

    @Test("is asked on 407 for the proxy, and its answer goes to the proxy only")
    func proxy() async throws {
        let responder = TestHooks.credential { $0.isProxy ? .basic(user: "user", password: "password") : nil }
        let task = test.downloader.task(for: url, policy: .with { $0.hooks = responder })
        _ = await refuse(status: 407)
        let second = await test.transport.nextTransfer()
        #expect(second.request.credential == nil)
        #expect(second.request.proxyCredential == .basic(user: "user", password: "password"))
        second.answer(.init(body: Data([1])))
        _ = try await task.body
    }

    @Test("is asked a bounded number of times, then the refusal stands")
    func bound() async {
        let responder = TestHooks.credential { .bearer("\($0.attempt)") }
        let task = test.downloader.task(for: url, policy: .with { $0.hooks = responder })
        for attempt in 0...3 {
            let request = await refuse()
            #expect(request.credential == (attempt == 0 ? nil : .bearer("\(attempt)")))
        }
        #expect(await reason { try await task.body } == .status(401))
        #expect(test.transport.startedCount == 4)
    }

    @Test("that has no credential, repeats one or fails leaves the refusal as it is", arguments: 0..<3)
    func noAnswer(kind: Int) async {
        let responder = TestHooks.credential { _ in
            switch kind {
            case 0: nil
            case 1: .bearer("same")
            default: throw TransferError.cancelled
            }
        }
        let task = test.downloader.task(for: url, policy: .with { $0.hooks = responder })
        _ = await refuse()
        if kind == 1 { _ = await refuse() }
        #expect(await reason { try await task.body } == .status(401))
    }

    @Test("is asked once by concurrent transfers to one origin, and not again by later ones", arguments: [true, false])
    func once(knows: Bool) async throws {
        let count = Lock(0)
        let responder = TestHooks.credential { _ in
            count.withLock { $0 += 1 }
            return knows ? .bearer("token") : nil
        }
        let policy = NetworkPolicy.with { $0.hooks = responder }
        let tasks = (0..<5).map { number in
            test.downloader.task(for: url.appending(path: "\(number)"), policy: policy)
        }
        var transfers: [ScriptedTransfer] = []
        for _ in tasks { transfers.append(await test.transport.nextTransfer()) }
        for transfer in transfers {
            transfer.answer(.init(status: 401, headers: [.wwwAuthenticate: "Bearer"]))
            // One after the other: the first has its answer before the last is asked.
            if knows { await test.transport.nextTransfer().answer(.init(body: Data([1]))) }
        }
        for task in tasks {
            #expect(await reason { try await task.body } == (knows ? nil : .status(401)))
        }
        #expect(count.withLock { $0 } == 1)
        guard knows else { return }
        let later = test.downloader.task(for: url, policy: policy)
        _ = await test.transport.nextTransfer().answer(.init(status: 401, headers: [.wwwAuthenticate: "Bearer"]))
        await test.transport.nextTransfer().answer(.init(body: Data([1])))
        _ = try await later.body
        #expect(count.withLock { $0 } == 1)
    }

    @Test(
        "that has given no credential is asked again by transfers that began later, with whomever they share the question"
    )
    func laterQuestion() async throws {
        let responder = ScopedResponder(
            hook: Hook(TestHooks.credential { _ in nil } as any DownloadHooks, identity: 0),
            audience: nil
        )
        let demand = AuthenticationDemand(url: url, challenges: [])
        for _ in 0..<500 {
            let answers = AuthenticationAnswers()
            let context = WorkContext(priority: PriorityBox(.normal), report: { _ in })
            func ask(since start: Int) async throws {
                let credential = try await answers.credential(
                    for: demand,
                    since: start,
                    responder: responder,
                    context: context
                )
                #expect(credential == nil)
            }
            try await ask(since: 0)
            #expect(answers.now == 1)
            // The first may take the answer that there is; the second began after it.
            async let early: Void = ask(since: 0)
            async let late: Void = ask(since: 1)
            _ = try await (early, late)
            #expect(answers.now == 2)
        }
    }

    @Test("is asked again when the server rejects its earlier credential")
    func rejected() async throws {
        let responder = TestHooks.credential { $0.rejected == nil ? .bearer("old") : .bearer("new") }
        let policy = NetworkPolicy.with { $0.hooks = responder }
        let task = test.downloader.task(for: url, policy: policy)
        _ = await refuse()
        #expect(await refuse().credential == .bearer("old"))
        let third = await test.transport.nextTransfer()
        #expect(third.request.credential == .bearer("new"))
        third.answer(.init(body: Data([1])))
        _ = try await task.body
    }

    @Test("gets the URL that a redirect led to, and its credential stays there")
    func redirected() async throws {
        let responder = TestHooks.credential { demand in
            demand.url.host() == "elsewhere.example" ? .bearer("elsewhere") : nil
        }
        let task = test.downloader.task(for: url, policy: .with { $0.hooks = responder })
        let first = await test.transport.nextTransfer()
        first.answer(.init(status: 302, headers: [.location: "https://elsewhere.example/a"]))
        _ = await refuse()
        let third = await test.transport.nextTransfer()
        #expect(third.request.url.absoluteString == "https://elsewhere.example/a")
        #expect(third.request.credential == .bearer("elsewhere"))
        third.answer(.init(body: Data([1])))
        _ = try await task.body
    }

    /// Accepts the next request if it carries the credential `wanted`, otherwise refuses it; returns the request.
    @discardableResult
    private func serve(_ wanted: Credential, realm: String = "gallery") async -> TransferRequest {
        let transfer = await test.transport.nextTransfer()
        if transfer.request.credential == wanted {
            transfer.answer(.init(body: Data([1])))
        } else {
            transfer.answer(.init(status: 401, headers: [.wwwAuthenticate: "Basic realm=\"\(realm)\""]))
        }
        return transfer.request
    }

    @Test("is not needed where the server has accepted its answer for the folder or one above (RFC 7617, section 2.2)")
    func unasked() async throws {
        let credential = Credential.basic(user: "user", password: "password")
        let policy = NetworkPolicy.with { $0.hooks = TestHooks.credential { _ in credential } }
        func load(_ path: String, _ policy: NetworkPolicy, requests: Int) async throws -> [Credential?] {
            let url = try #require(URL(string: "https://images.example\(path)"))
            let task = test.downloader.task(for: url, policy: policy)
            var sent: [Credential?] = []
            for _ in 0..<requests { sent.append(await serve(credential).credential) }
            _ = try await task.body
            return sent
        }
        #expect(try await load("/private/a.png", policy, requests: 2) == [nil, credential])
        #expect(try await load("/private/b.png", policy, requests: 1) == [credential])
        #expect(try await load("/private/deep/c.png", policy, requests: 1) == [credential])
        // Not above, not beside, not through dots, and not for another responder.
        for path in ["/public/d.png", "/private/../e.png", "/private/%2E%2E/f.png", "/privately"] {
            #expect(try await load(path, policy, requests: 2) == [nil, credential], "\(path)")
        }
        let other = NetworkPolicy.with { $0.hooks = TestHooks.credential { _ in credential } }
        #expect(try await load("/private/g.png", other, requests: 2) == [nil, credential])
    }

    @Test("is asked again where a credential sent unasked is refused, which counts as rejected in its own realm only")
    func unaskedInVain() async throws {
        let demands = Lock<[AuthenticationDemand]>([])
        let responder = TestHooks.credential { demand in
            demands.withLock { $0.append(demand) }
            if demand.challenges.first?.realm == "vault" { return .bearer("vault") }
            return demand.rejected == nil ? .bearer("old") : .bearer("new")
        }
        let policy = NetworkPolicy.with { $0.hooks = responder }
        func load(_ path: String, realm: String, wanted: String, requests: Int) async throws -> [Credential?] {
            let url = try #require(URL(string: "https://images.example\(path)"))
            let task = test.downloader.task(for: url, policy: policy)
            var sent: [Credential?] = []
            for _ in 0..<requests { sent.append(await serve(.bearer(wanted), realm: realm).credential) }
            _ = try await task.body
            return sent
        }
        #expect(try await load("/a/1", realm: "gallery", wanted: "old", requests: 2) == [nil, .bearer("old")])
        #expect(
            try await load("/a/vault/2", realm: "vault", wanted: "vault", requests: 2)
                == [.bearer("old"), .bearer("vault")]
        )
        #expect(
            try await load("/a/3", realm: "gallery", wanted: "new", requests: 2) == [.bearer("old"), .bearer("new")]
        )
        #expect(try await load("/a/4", realm: "gallery", wanted: "new", requests: 1) == [.bearer("new")])
        #expect(try await load("/a/vault/5", realm: "vault", wanted: "vault", requests: 1) == [.bearer("vault")])
        let rejected = demands.withLock { $0.map(\.rejected) }
        #expect(rejected == [nil, nil, .bearer("old")])
    }

    private final class Account: Sendable {}

    /// A responder that is an object.
    private final class ObjectResponder: DownloadHooks {
        let account: Account
        let cacheIdentity: DownloadIdentity? = nil

        init(_ account: Account) {
            self.account = account
        }

        func credential(for demand: AuthenticationDemand) async throws -> Credential? { .bearer("token") }

        static func == (left: ObjectResponder, right: ObjectResponder) -> Bool { left === right }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(self))
        }
    }

    /// A responder that is a value.
    private struct ValueResponder: DownloadHooks {
        let cacheIdentity: DownloadIdentity? = nil
        let user: String
        let calls: Lock<Int>

        func credential(for demand: AuthenticationDemand) async throws -> Credential? {
            calls.withLock { $0 += 1 }
            return .bearer(user)
        }

        static func == (left: ValueResponder, right: ValueResponder) -> Bool { left.user == right.user }

        func hash(into hasher: inout Hasher) {
            hasher.combine(user)
        }
    }

    /// Loads an image of a server that demands a credential, and returns the number of requests.
    private func load(_ policy: NetworkPolicy) async throws -> Int {
        let before = test.transport.startedCount
        test.transport.setAnswer { request in
            request.credential == nil
                ? .init(status: 401, headers: [.wwwAuthenticate: "Bearer"]) : .init(body: Data([1]))
        }
        _ = try await test.downloader.download(from: url, policy: policy)
        return test.transport.startedCount - before
    }

    @Test("is released with its transfers if it is an object", .timeLimit(.minutes(5)), arguments: 0..<2)
    func release(kind: Int) async throws {
        weak var released: Account?
        do {
            let account = Account()
            released = account
            let policy = NetworkPolicy.with { policy in
                if kind == 0 {
                    policy.hooks = ObjectResponder(account)
                } else {
                    policy.hooks = TestHooks.credential { _ in
                        withExtendedLifetime(account) {}
                        return .bearer("token")
                    }
                }
            }
            #expect(try await load(policy) == 2)
        }
        await test.settle()
        while !Task.isCancelled, released != nil { await Task.yield() }
        #expect(released == nil)
    }

    @Test(
        "that is kept by the program is not asked again, though each request has a policy of its own",
        arguments: 0..<2
    )
    func kept(kind: Int) async throws {
        let object = ObjectResponder(Account())
        let closure = TestHooks.credential { _ in .bearer("token") }
        func policy() -> NetworkPolicy {
            .with { $0.hooks = kind == 0 ? object : closure }
        }
        #expect(try await load(policy()) == 2)
        await test.settle()
        #expect(try await load(policy()) == 1)
    }

    @Test("is asked before that of the downloader, which answers where it has no credential", arguments: [true, false])
    func both(knows: Bool) async throws {
        let shared = TestHooks.credential { _ in .bearer("shared") }
        let own = TestHooks.credential { _ in knows ? .bearer("own") : nil }
        let test = TestDownloader(.with { $0.hooks = shared })
        let task = test.downloader.task(for: url, policy: .with { $0.hooks = own })
        await test.transport.nextTransfer().answer(.init(status: 401, headers: [.wwwAuthenticate: "Bearer"]))
        let second = await test.transport.nextTransfer()
        #expect(second.request.credential == .bearer(knows ? "own" : "shared"))
        second.answer(.init(body: Data([1])))
        _ = try await task.body
    }

    @Test("is not asked on a status that the request accepts")
    func acceptedRefusal() async throws {
        let responder = TestHooks.credential { _ in
            Issue.record("asked")
            return nil
        }
        let policy = NetworkPolicy.with {
            $0.hooks = responder
            $0.acceptedStatusCodes = 200..<402
        }
        let task = test.downloader.task(for: url, policy: policy)
        await test.transport.nextTransfer().answer(.init(status: 401, body: Data([7])))
        #expect(try await task.body.data == Data([7]))
    }

    @Test("that is a value is not asked again where an equal one was")
    func equalValues() async throws {
        let calls = Lock(0)
        func policy() -> NetworkPolicy {
            .with { $0.hooks = ValueResponder(user: "a", calls: calls) }
        }
        #expect(try await load(policy()) == 2)
        await test.settle()
        #expect(try await load(policy()) == 1)
        #expect(calls.withLock { $0 } == 1)
    }
}
