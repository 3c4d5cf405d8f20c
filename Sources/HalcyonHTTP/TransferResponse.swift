public import FoundationEssentials
public import HTTPTypes

/// The head of a response.
public struct TransferResponse: Sendable, Hashable {
    /// 200, 404, …
    public var status: Int
    /// As received, in order.
    public var headers: HTTPFields
    /// Where the response came from, after all redirects.
    public var url: URL
    /// The bytes the body will have once its content coding is undone; `nil` where that is not known.
    public var expectedBodyBytes: Int?

    /// A response head.
    public init(status: Int, headers: HTTPFields = [:], url: URL, expectedBodyBytes: Int? = nil) {
        self.status = status
        self.headers = headers
        self.url = url
        self.expectedBodyBytes = expectedBodyBytes
    }
}
