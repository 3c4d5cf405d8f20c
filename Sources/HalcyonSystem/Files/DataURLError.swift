/// The reason that a `data:` URL has no bytes.
public enum DataURLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text does not start with "data:".
    case notADataURL
    /// There is no comma between the media type and the body.
    case missingComma
    /// The body is declared as Base64 and is not valid.
    case invalidBase64

    /// A description of the error.
    public var description: String {
        switch self {
        case .notADataURL: "not a data URL"
        case .missingComma: "the data URL has no comma before its body"
        case .invalidBase64: "the data URL's body is not valid Base64"
        }
    }
}
