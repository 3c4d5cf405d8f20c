import FoundationEssentials

@testable import Halcyon

/// Hooks of closures, equal to their copies only.
final class TestHooks: DownloadHooks {
    struct Closures: Sendable {
        var request: @Sendable (TransferRequest) async throws -> TransferRequest? = { $0 }
        var redirect: @Sendable (TransferResponse, TransferRequest) async throws -> TransferRequest? = { $1 }
        var credential: @Sendable (AuthenticationDemand) async throws -> Credential? = { _ in nil }
        var response: @Sendable (TransferResponse) async throws -> TransferResponse? = { $0 }
        var body: @Sendable (Data, TransferResponse) throws -> Data? = { data, _ in data }
    }

    let cacheIdentity: DownloadIdentity?
    private let closures: Closures

    init(_ identity: DownloadIdentity? = nil, _ change: (inout Closures) -> Void) {
        cacheIdentity = identity
        var closures = Closures()
        change(&closures)
        self.closures = closures
    }

    func modified(_ request: TransferRequest) async throws -> TransferRequest? { try await closures.request(request) }

    func request(
        after response: TransferResponse,
        proposed request: TransferRequest
    ) async throws -> TransferRequest? {
        try await closures.redirect(response, request)
    }

    func credential(for demand: AuthenticationDemand) async throws -> Credential? {
        try await closures.credential(demand)
    }

    func modified(_ response: TransferResponse) async throws -> TransferResponse? {
        try await closures.response(response)
    }

    func modified(_ data: Data, of response: TransferResponse) throws -> Data? { try closures.body(data, response) }

    static func == (left: TestHooks, right: TestHooks) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension DownloadHooks where Self == TestHooks {
    /// Hooks that change requests.
    static func request(
        _ identity: DownloadIdentity? = nil,
        _ closure: @escaping @Sendable (TransferRequest) async throws -> TransferRequest?
    ) -> TestHooks {
        TestHooks(identity) { $0.request = closure }
    }

    /// Hooks that decide where redirects lead.
    static func redirect(
        _ identity: DownloadIdentity? = nil,
        _ closure: @escaping @Sendable (TransferResponse, TransferRequest) async throws -> TransferRequest?
    ) -> TestHooks {
        TestHooks(identity) { $0.redirect = closure }
    }

    /// Hooks that supply credentials.
    static func credential(
        _ identity: DownloadIdentity? = nil,
        _ closure: @escaping @Sendable (AuthenticationDemand) async throws -> Credential?
    ) -> TestHooks {
        TestHooks(identity) { $0.credential = closure }
    }

    /// Hooks that change the heads of responses, or refuse them.
    static func response(
        _ identity: DownloadIdentity? = nil,
        _ closure: @escaping @Sendable (TransferResponse) async throws -> TransferResponse?
    ) -> TestHooks {
        TestHooks(identity) { $0.response = closure }
    }

    /// Hooks that change bodies.
    static func body(
        _ identity: DownloadIdentity? = nil,
        _ closure: @escaping @Sendable (Data, TransferResponse) throws -> Data?
    ) -> TestHooks {
        TestHooks(identity) { $0.body = closure }
    }
}

extension DownloadHooks where Self == TestHooks {
    /// Hooks that refuse every redirect.
    static var refusingRedirects: TestHooks { .redirect { _, _ in nil } }
}
