public import FoundationEssentials
public import HTTPTypes
internal import HalcyonConcurrency

/// The head of a response.
public struct TransferResponse: Sendable {
    /// 200, 404, …
    public var status: Int
    /// Where the response came from, after all redirects.
    public var url: URL
    /// The bytes the body will have once its content coding is undone; `nil` where that is not known.
    public var expectedBodyBytes: Int?

    /// As received, or as given.
    private enum Headers {
        case text(HeaderText)
        case fields(HTTPFields)
    }

    /// Shared by copies, so that the text is read at most once.
    private var lazyHeaders: Lock<Headers>

    /// As received, in order. Read when asked for the first time.
    public var headers: HTTPFields {
        get {
            lazyHeaders.withLock { headers in
                switch headers {
                case .fields(let fields): return fields
                case .text(let text):
                    let fields = text.fields
                    headers = .fields(fields)
                    return fields
                }
            }
        }
        set { lazyHeaders = Lock(.fields(newValue)) }
    }

    /// A response head.
    public init(status: Int, headers: HTTPFields = [:], url: URL, expectedBodyBytes: Int? = nil) {
        self.status = status
        self.url = url
        self.expectedBodyBytes = expectedBodyBytes
        lazyHeaders = Lock(.fields(headers))
    }

    init(status: Int, text: HeaderText, url: URL, expectedBodyBytes: Int?) {
        self.status = status
        self.url = url
        self.expectedBodyBytes = expectedBodyBytes
        lazyHeaders = Lock(.text(text))
    }
}

extension TransferResponse: Hashable {
    /// Whether all four properties are equal.
    public static func == (left: TransferResponse, right: TransferResponse) -> Bool {
        left.status == right.status && left.url == right.url && left.expectedBodyBytes == right.expectedBodyBytes
            && left.headers == right.headers
    }

    /// Feeds all four properties.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(url)
        hasher.combine(expectedBodyBytes)
        hasher.combine(headers)
    }
}

extension TransferResponse: CustomStringConvertible {
    /// Status and URL.
    public var description: String { "\(status) from \(url)" }
}
