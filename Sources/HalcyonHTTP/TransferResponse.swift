public import FoundationEssentials
public import HTTPTypes
internal import HalcyonSystem

/// The head of a response.
public struct TransferResponse: Sendable {
    /// The status: 200, 404, …
    public var status: Int
    /// The URL from which the response came, after all redirects.
    public var url: URL
    /// The number of bytes of the body once its content coding is undone; `nil` where that is not known.
    public var expectedBodyBytes: Int?
    /// The cookies that the next request takes along if this is a redirect, as lines of a Netscape cookie file, with
    /// a byte 0 at the end.
    package var chainCookies: [[CChar]] = []
    /// What the redirects that led to it say about using it again; `nil` without any.
    package var redirects: RedirectRules?

    /// The headers as received, or as given.
    private enum Headers {
        case text(HeaderText)
        case fields(HTTPFields)
    }

    /// The headers, shared by copies, so that the text is read at most once.
    private var lazyHeaders: Lock<Headers>

    /// The headers as received, in order. Parsed at the first access.
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

    /// Creates a response head.
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
    /// Returns whether all public properties are equal.
    public static func == (left: TransferResponse, right: TransferResponse) -> Bool {
        left.status == right.status && left.url == right.url && left.expectedBodyBytes == right.expectedBodyBytes
            && left.headers == right.headers
    }

    /// Hashes all public properties.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(url)
        hasher.combine(expectedBodyBytes)
        hasher.combine(headers)
    }
}

extension TransferResponse: CustomStringConvertible {
    /// The status and the URL.
    public var description: String { "\(status) from \(url)" }
}
