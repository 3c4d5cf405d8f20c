import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A hook that decides the scope or the content of an image")
struct HookIdentityTests {
    private let users = TwoUsers()

    /// The current user of a program, which its hooks read with each request.
    private final class Session: Sendable {
        private let number = Lock(0)

        var user: Int {
            get { number.withLock { $0 } }
            set { number.withLock { $0 = newValue } }
        }
    }

    private struct SessionHooks: DownloadHooks {
        let session: Session

        var cacheIdentity: DownloadIdentity? { "user-\(session.user)" }

        func credential(for demand: AuthenticationDemand) async throws -> Credential? {
            .bearer(TwoUsers.secrets[session.user])
        }

        static func == (left: Self, right: Self) -> Bool { left.session === right.session }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(session)) }
    }

    private struct Watermark: DownloadHooks {
        let cacheIdentity: DownloadIdentity?
        let owner: Int

        func modified(_ data: Data, of response: TransferResponse) throws -> Data? { Sample.png(seed: owner) }
    }

    private func tokens(of session: Session, scope: DownloadIdentity? = nil) -> ImageOption {
        .hooks(
            TestHooks.request(scope) { request in
                var request = request
                request.headers[.authorization] = TwoUsers.secrets[session.user]
                return request
            }
        )
    }

    private func owner(_ test: TestPipeline, _ options: [ImageOption] = []) async throws -> Int {
        let owner = try await test.pipeline.response(for: users.url, options: options).image.owner
        await test.settle()
        return owner
    }

    @Test(
        "shares no running work between the users whose tokens a modifier adds one after the other",
        arguments: [[], [ImageOption.ignoringServer], [.processor(.crop(to: .pixels(8, 8), anchor: .topLeft))]]
    )
    func nextUser(options: [ImageOption]) async throws {
        let (test, session) = (TestPipeline(), Session())
        let options = options + [tokens(of: session)]
        test.transport.setAnswer { request in
            TwoUsers.seed(request) == 2 ? .init(body: Sample.png(seed: 2)) : nil
        }
        let first = test.pipeline.task(for: users.url, options: options)
        let transfer = await test.transport.nextTransfer()
        session.user = 1
        let second = test.pipeline.task(for: users.url, options: options)
        await eventually { [transport = test.transport, stages = test.pipeline.stages] in
            transport.startedCount == 2 || stages.images.waiterCount == 2
        }
        transfer.answer(.init(body: Sample.png(seed: 1)))
        #expect(try await first.image.owner == 1)
        #expect(try await second.image.owner == 2)
    }

    @Test(
        "shares transfers with equal ones where it has an identity, whatever the loads differ in",
        arguments: [true, false]
    )
    func equalRequests(isReused: Bool) async throws {
        let (test, session) = (TestPipeline(), Session())
        let option = ImageOption.hooks(SessionHooks(session: session))
        // Loads that share no more than that.
        let tasks = (1...5).map { number in
            let hooks = isReused ? option : .hooks(SessionHooks(session: session))
            return test.pipeline.task(for: users.url, options: [hooks, .retry(.fixed(maxAttempts: number))])
        }
        let downloader = test.pipeline.configuration.downloader
        await eventually { downloader.transfers.waiterCount == tasks.count }
        #expect(test.pipeline.stages.images.count == tasks.count)
        #expect(downloader.transfers.count == 1)
        for _ in 0..<downloader.transfers.count {
            await test.transport.nextTransfer().answer(.init(body: Sample.png(seed: 1)))
        }
        for task in tasks { #expect(try await task.image.owner == 1) }
    }

    @Test("shares all work where it has an identity")
    func namedScope() async throws {
        let (test, session) = (TestPipeline(), Session())
        let options = [tokens(of: session, scope: "one")]
        let tasks = (0..<5).map { _ in test.pipeline.task(for: users.url, options: options) }
        await eventually { [stages = test.pipeline.stages] in stages.images.waiterCount == tasks.count }
        #expect(test.pipeline.stages.images.count == 1)
        await test.transport.nextTransfer().answer(.init(body: Sample.png(seed: 1)))
        for task in tasks { #expect(try await task.image.owner == 1) }
        #expect(test.counters.decodes == 1)
    }

    @Test("answers for another user once its identity is another")
    func responders() async throws {
        let (test, session) = (TestPipeline(), Session())
        test.transport.setAnswer { request in
            guard request.credential != nil else { return .init(status: 401) }
            return .init(body: Sample.png(seed: TwoUsers.seed(request)))
        }
        let options = [ImageOption.hooks(SessionHooks(session: session))]
        for user in [0, 1, 0, 1] {
            session.user = user
            #expect(try await owner(test, options) == user + 1)
        }
        let count = test.transport.startedCount
        for user in [0, 1] {
            session.user = user
            #expect(try await owner(test, options) == user + 1)
        }
        #expect(test.transport.startedCount == count)
    }

    @Test("answers a load that no cache keeps with the credential of its own identity")
    func scopeWithoutKey() async throws {
        let (test, session) = (TestPipeline(), Session())
        let asked = Lock<[Int]>([])
        test.transport.setAnswer { request in
            guard request.credential != nil else { return .init(status: 401) }
            asked.withLock { $0.append(TwoUsers.seed(request)) }
            return .init(body: Sample.png(seed: TwoUsers.seed(request)))
        }
        for user in [0, 1, 0] {
            session.user = user
            _ = try await owner(test, [.method(.post), .hooks(SessionHooks(session: session))])
        }
        #expect(asked.withLock { $0 } == [1, 2, 1])
    }

    @Test(
        "leaves requests that carry credentials apart, although it has an identity",
        arguments: [true, false]
    )
    func ownCredentials(isModifier: Bool) async throws {
        let test = users.pipeline()
        let hook: ImageOption =
            isModifier
            ? .hooks(TestHooks.request("gallery") { $0 })
            : .hooks(TestHooks.credential("gallery") { _ in nil })
        for user in [0, 1, 0, 1] {
            let (source, options) = try users.request(.authorization, user: user)
            let response = try await test.pipeline.response(for: ImageRequest(source, options: options + [hook]))
            #expect(response.image.owner == user + 1)
            await test.settle()
        }
        #expect(test.transport.startedCount == 2)
    }

    @Test(
        "leaves users apart whose requests carry credentials, although it names its effect on bytes",
        arguments: TwoUsers.Carrier.allCases
    )
    func bytesOfUsers(carrier: TwoUsers.Carrier) async throws {
        let decryption = ImageOption.hooks(TestHooks.body("decrypted-2") { data, _ in data })
        let isOfPipeline = carrier == .defaultHeader || carrier == .downloaderHeader
        let test = users.pipeline(carrier)
        let tests = [test, isOfPipeline ? users.pipeline(carrier, user: 1) : test]
        for isInMemory in [false, true, false] {
            if !isInMemory { for test in tests { test.pipeline.cache.removeAllFromMemory() } }
            for (user, test) in tests.enumerated() {
                let (source, options) = try users.request(carrier, user: user)
                let request = ImageRequest(source, options: options + [decryption])
                #expect(try await test.pipeline.image(from: request).owner == user + 1)
                await test.settle()
            }
        }
    }

    @Test(
        "leaves work apart of users whose requests carry credentials, although it names its effect on bytes",
        arguments: [TwoUsers.Carrier.authorization, .cookie, .credential, .user, .optionHeader, .cookieOption]
    )
    func workOfUsers(carrier: TwoUsers.Carrier) async throws {
        let test = TestPipeline()
        let decryption = ImageOption.hooks(TestHooks.body("decrypted-2") { data, _ in data })
        let tasks = try (0...1).map { user in
            let (source, options) = try users.request(carrier, user: user)
            return test.pipeline.task(for: ImageRequest(source, options: options + [decryption]))
        }
        let downloader = test.pipeline.configuration.downloader
        await eventually { downloader.transfers.waiterCount == tasks.count }
        #expect(downloader.transfers.count == tasks.count)
        for _ in 0..<downloader.transfers.count {
            let transfer = await test.transport.nextTransfer()
            transfer.answer(.init(body: Sample.png(seed: TwoUsers.seed(transfer.request))))
        }
        for (user, task) in tasks.enumerated() { #expect(try await task.image.owner == user + 1) }
    }

    @Test("makes other bytes for its own loads only, and gets no others")
    func bodies() async throws {
        let test = users.pipeline()
        let mark = ImageOption.hooks(Watermark(cacheIdentity: nil, owner: 7))
        for options in [[], [ImageOption.ignoringServer], [.cacheScope("one")], [.sharedAcrossCredentials]] {
            for _ in 0..<2 {
                #expect(try await owner(test, options + [mark]) == 7)
                #expect(try await owner(test, options) == 9)
            }
            test.pipeline.cache.removeAllFromMemory()
            #expect(try await owner(test, options + [mark]) == 7)
            #expect(try await owner(test, options) == 9)
            try await test.pipeline.cache.removeAll()
        }
    }

    @Test("makes other bytes that are found again by the identity it names, and by no other")
    func dataIdentities() async throws {
        let test = users.pipeline()
        let marks = [7, 8].map { ImageOption.hooks(Watermark(cacheIdentity: "mark \($0)", owner: $0)) }
        for isInMemory in [false, true, false] {
            if !isInMemory { test.pipeline.cache.removeAllFromMemory() }
            #expect(try await owner(test, [marks[0]]) == 7)
            #expect(try await owner(test, [marks[1]]) == 8)
            #expect(try await owner(test) == 9)
            #expect(try await owner(test, [marks[0], .cacheScope("one")]) == 7)
        }
        #expect(test.transport.startedCount == 4)
    }

    @Test("sends the request elsewhere for its own loads only", arguments: [[], [ImageOption.ignoringServer]])
    func elsewhere(options: [ImageOption]) async throws {
        let test = users.pipeline()
        let modifier = ImageOption.hooks(
            TestHooks.request("elsewhere") { request in
                var request = request
                request.url.append(path: TwoUsers.secrets[0])
                return request
            }
        )
        #expect(try await owner(test, options + [modifier]) == 1)
        #expect(try await owner(test, options) == 9)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await owner(test, options) == 9)
    }

    @Test("leads a redirect elsewhere for its own loads only", arguments: [[], [ImageOption.ignoringServer]])
    func redirects(options: [ImageOption]) async throws {
        let test = TestPipeline()
        let url = users.url
        test.transport.setAnswer { request in
            guard request.url == url else { return .init(body: Sample.png(seed: TwoUsers.seed(request))) }
            return .init(status: 302, headers: [.location: "https://images.example/other"])
        }
        let handler = TestHooks.redirect("elsewhere") { _, proposed in
            var request = proposed
            request.url.append(path: TwoUsers.secrets[0])
            return request
        }
        #expect(try await owner(test, options + [.hooks(handler)]) == 1)
        TwoUsers.serve(test.transport)
        #expect(try await owner(test, options) == 9)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await owner(test, options) == 9)
    }

    @Test("sets another status for its own loads only")
    func statuses() async throws {
        let test = TestPipeline()
        test.transport.serve(users.url, Sample.png(seed: 7), status: 404)
        let modifier = ImageOption.hooks(
            TestHooks.response("found") { response in
                var response = response
                response.status = 200
                return response
            }
        )
        #expect(try await owner(test, [modifier]) == 7)
        #expect(await reason { try await test.pipeline.response(for: users.url) } == .status(404))
        test.pipeline.cache.removeAllFromMemory()
        #expect(await reason { try await test.pipeline.response(for: users.url) } == .status(404))
    }

    @Test("supplies a proxy's credential for its own loads only")
    func proxies() async throws {
        let test = TestPipeline()
        test.transport.setAnswer { request in
            guard request.proxyCredential != nil else { return .init(status: 407) }
            return .init(body: Sample.png(seed: TwoUsers.seed(request)))
        }
        let text = users.url.absoluteString.replacing("https:", with: "http:")
        let url = try #require(URL(string: text))
        for user in 0...1 {
            let responder = TestHooks.credential { _ in .basic(user: "me", password: TwoUsers.secrets[user]) }
            let response = try await test.pipeline.response(for: url, options: [.hooks(responder)])
            #expect(response.image.owner == user + 1)
            await test.settle()
        }
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
        #expect(await reason { try await test.pipeline.response(for: url) } == .status(407))
    }
}
