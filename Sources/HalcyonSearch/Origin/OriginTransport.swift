internal import HTTPTypes
internal import HalcyonHTTP

/// The transport of one configuration of a downloader, over an origin that all of them share.
///
/// A configuration has a number, which its policy adds to requests as a header: one that comes without it was sent by
/// the policy of one configuration over the transport of another.
final class OriginTransport: HTTPTransport {
    /// The header with the number.
    static let field = HTTPField.Name("X-Search-Configuration")

    private let origin: SearchOrigin
    private let model: AnswerModel
    private let number: Int

    init(origin: SearchOrigin, model: AnswerModel, number: Int) {
        self.origin = origin
        self.model = model
        self.number = number
    }

    var cacheScope: String? { origin.cacheScope }

    func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
        if let name = Self.field, request.headers[name] != "\(number)" {
            let text = request.headers[name] ?? "none"
            model.report(.missingHeader, "a request of configuration \(text) came over the transport of \(number)")
        }
        return origin.start(request, receiver: receiver)
    }
}
