import FoundationEssentials
import Glibc
import HTTPTypes
import HalcyonConcurrency
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A store of credentials")
struct CredentialStoreTests {
    private let url = Sample.url()
    private let path = TestPipeline.temporaryPath() + "/inner/credentials.json"

    private func demand(
        _ realm: String = "gallery",
        url: URL? = nil,
        isProxy: Bool = false,
        rejected: Credential? = nil
    ) -> AuthenticationDemand {
        let challenge = AuthenticationChallenge.challenges(in: ["Basic realm=\"\(realm)\""])
        return AuthenticationDemand(url: url ?? self.url, isProxy: isProxy, challenges: challenge, rejected: rejected)
    }

    /// A responder that counts its calls, and answers with the number of the call.
    private final class Asked: Sendable {
        private let calls = Lock(0)

        var count: Int { calls.withLock { $0 } }

        func responder(scope: String? = nil) -> AuthenticationResponder {
            AuthenticationResponder(cacheScope: scope) { [self] _ in
                .basic(user: "user", password: "\(calls.withLock { calls in calls += 1; return calls })")
            }
        }
    }

    private func password(_ credential: Credential?) -> String? {
        if case .basic(_, let password) = credential { password } else { nil }
    }

    private func removeFolder() {
        try? FileManager.default.removeItem(atPath: path.replacing("/inner/credentials.json", with: ""))
    }

    @Test("answers in a later process without asking, from a file for its user alone")
    func persistence() async throws {
        defer { removeFolder() }
        let asked = Asked()
        let first = try CredentialStore(file: path)
        let credential = try await first.responder(asking: asked.responder()).credential(for: demand())
        try await first.flush()
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let second = try CredentialStore(file: path)
        let again = try await second.responder(asking: asked.responder()).credential(for: demand())
        #expect(again == credential && asked.count == 1)
        second.removeAll()
        try await second.flush()
        #expect(try CredentialStore(file: path).count == 0)
    }

    @Test("gives no credential to another realm, origin or user, and keeps none for proxies")
    func spaces() async throws {
        defer { removeFolder() }
        let asked = Asked()
        let store = try CredentialStore(file: path)
        let responder = store.responder(asking: asked.responder())
        #expect(password(try await responder.credential(for: demand())) == "1")
        #expect(password(try await responder.credential(for: demand("other"))) == "2")
        let plain = try #require(URL(string: url.absoluteString.replacing("https:", with: "http:")))
        #expect(password(try await responder.credential(for: demand(url: plain))) == "3")
        let scoped = store.responder(asking: asked.responder(scope: "one"))
        #expect(password(try await scoped.credential(for: demand())) == "4")
        #expect(scoped.cacheScope == "one" && responder.cacheScope == nil)
        for answer in ["5", "6"] {
            #expect(password(try await responder.credential(for: demand(isProxy: true))) == answer)
        }
        #expect(password(try await responder.credential(for: demand())) == "1")
        #expect(store.count == 4)
    }

    @Test("removes what the server rejects, and asks")
    func rejection() async throws {
        defer { removeFolder() }
        let asked = Asked()
        let store = try CredentialStore(file: path)
        let responder = store.responder(asking: asked.responder())
        let old = try await responder.credential(for: demand())
        #expect(password(try await responder.credential(for: demand(rejected: old))) == "2")
        // A transfer that is late with the same rejection gets the new one.
        #expect(password(try await responder.credential(for: demand(rejected: old))) == "2")
        #expect(store.count == 1)
    }

    @Test("does not store the rejected credential again, if that is all that the responder has")
    func sameAnswer() async throws {
        defer { removeFolder() }
        let store = try CredentialStore(file: path)
        let responder = store.responder(asking: AuthenticationResponder { _ in .bearer("old") })
        #expect(try await responder.credential(for: demand()) == .bearer("old"))
        #expect(try await responder.credential(for: demand(rejected: .bearer("old"))) == .bearer("old"))
        #expect(store.count == 0)
    }

    @Test("has the answers of several processes, and at most so many")
    func merging() async throws {
        defer { removeFolder() }
        let asked = Asked()
        let stores = try (0..<2).map { _ in try CredentialStore(file: path) }
        for (number, store) in stores.enumerated() {
            _ = try await store.responder(asking: asked.responder()).credential(for: demand("\(number)"))
            try await store.flush()
        }
        #expect(try CredentialStore(file: path).count == 2)
        for number in 0..<(CredentialStore.maximumCount + 5) {
            _ = try await stores[0].responder(asking: asked.responder()).credential(for: demand("more \(number)"))
        }
        try await stores[0].flush()
        #expect(try CredentialStore(file: path).count == CredentialStore.maximumCount)
    }

    @Test("keeps no more changes than credentials while its file cannot be written, and writes them later")
    func unwritable() async throws {
        defer { removeFolder() }
        let store = try CredentialStore(file: path)
        let inner = path.replacing("/credentials.json", with: "")
        let outer = inner.replacing("/inner", with: "")
        try FileManager.default.createDirectory(atPath: outer, withIntermediateDirectories: true)
        // A file in the place of the folder.
        try Data().write(to: URL(filePath: inner))
        let responder = store.responder(asking: Asked().responder())
        for number in 0..<CredentialStore.maximumCount * 3 {
            let answer = try await responder.credential(for: demand("\(number)"))
            guard number % 2 == 0 else { continue }
            let space = try #require(CredentialSpace(demand("\(number)"), scope: nil))
            store.remove(try #require(answer), for: space)
        }
        await #expect(throws: PrivateFileError.self) { try await store.flush() }
        #expect(store.pendingCount == CredentialStore.maximumCount && store.count == CredentialStore.maximumCount)
        try FileManager.default.removeItem(atPath: inner)
        try await store.flush()
        #expect(store.pendingCount == 0)
        #expect(try CredentialStore(file: path).count == CredentialStore.maximumCount)
    }

    @Test("refuses a file that is none of its own")
    func malformed() throws {
        defer { removeFolder() }
        let folder = path.replacing("/credentials.json", with: "")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("[]".utf8).write(to: URL(filePath: path))
        #expect(throws: PrivateFileError.self) { try CredentialStore(file: path) }
    }

    @Test("answers the demands of a downloader")
    func downloads() async throws {
        defer { removeFolder() }
        let asked = Asked()
        for _ in 0..<2 {
            let test = TestDownloader()
            test.transport.setAnswer { request in
                request.credential == nil
                    ? .init(status: 401, headers: [.wwwAuthenticate: "Basic realm=\"a\""]) : .init(body: Data([1]))
            }
            let store = try CredentialStore(file: path)
            let responder = store.responder(asking: asked.responder())
            _ = try await test.downloader.download(from: url, policy: .with { $0.authenticationResponder = responder })
            try await store.flush()
        }
        #expect(asked.count == 1)
    }
}
