import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting

@testable import Halcyon

/// A server that has one image for each of two users at one URL, and one for requests without a user. The first sample
/// of an image is the number of its user: 1, 2, and 9 for none.
final class TwoUsers: Sendable {
    /// The part of a request that identifies the user.
    enum Carrier: String, CaseIterable {
        case authorization, cookie, credential, user, optionHeader, cookieOption, defaultHeader, downloaderHeader, proxy
    }

    static let secrets = ["first-secret", "second-secret"]

    let url: URL
    let path = TestPipeline.temporaryPath()
    /// Kept, as the folder is removed with the first pipeline that is released.
    private let pipelines = Lock<[TestPipeline]>([])

    init() {
        url = Sample.url()
    }

    static func seed(_ request: TransferRequest) -> Int {
        var text = request.headers.map(\.value).joined() + request.url.absoluteString
        for credential in [request.credential, request.proxyCredential] {
            if case .bearer(let token) = credential { text += token }
            if case .basic(_, let password) = credential { text += password }
        }
        if let body = request.body { text += String(decoding: body, as: UTF8.self) }
        return (secrets.firstIndex { text.contains($0) } ?? 8) + 1
    }

    static func serve(_ transport: ScriptedTransport) {
        transport.setAnswer { .init(body: Sample.png(seed: seed($0))) }
    }

    /// Returns a pipeline of a program that serves both users, over one folder.
    func pipeline(_ carrier: Carrier = .authorization, user: Int = 0) -> TestPipeline {
        var downloads = NetworkPolicy()
        let headers: HTTPFields = [.authorization: "Bearer \(Self.secrets[user])"]
        if carrier == .downloaderHeader { downloads.headers = headers }
        let test = TestPipeline(
            folder: path,
            defaultOptions: carrier == .defaultHeader ? [.headers(headers)] : [],
            downloads: downloads
        )
        Self.serve(test.transport)
        pipelines.withLock { $0.append(test) }
        return test
    }

    /// Returns the source and the options of a user's request.
    func request(_ carrier: Carrier, user: Int) throws -> (Source, [ImageOption]) {
        let secret = Self.secrets[user]
        var request = TransferRequest(url: url)
        var options: [ImageOption] = []
        switch carrier {
        case .authorization: request.headers[.authorization] = "Bearer \(secret)"
        case .cookie: request.headers[.cookie] = "session=\(secret)"
        case .credential: request.credential = .bearer(secret)
        case .user:
            let text = url.absoluteString.replacing("https://", with: "https://me:\(secret)@")
            guard let url = URL(string: text) else { throw CancellationError() }
            request.url = url
        case .optionHeader: options = [.headers([.authorization: "Bearer \(secret)"])]
        case .cookieOption: options = [.headers([.cookie: "a=\(secret)"])]
        case .defaultHeader, .downloaderHeader: break
        case .proxy:
            guard let url = URL(string: url.absoluteString.replacing("https:", with: "http:")) else {
                throw CancellationError()
            }
            request.url = url
            request.proxyCredential = .basic(user: "me", password: secret)
        }
        return (.request(request), options)
    }
}

extension DecodedImage {
    /// The number of the image's user in ``TwoUsers``, or 9.
    var owner: Int { Int(bitmap.pixel(0, 0)[0]) }
}
