/// The reason why a `data:` URL has no bytes.
public enum DataURLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text does not start with "data:".
    case notADataURL
    /// There is no comma between the media type and the body.
    case missingComma
    /// The body claims to be Base64 and is not.
    case invalidBase64

    /// A description of the error, for people.
    public var description: String {
        switch self {
        case .notADataURL: "not a data URL"
        case .missingComma: "the data URL has no comma before its body"
        case .invalidBase64: "the data URL's body is not valid Base64"
        }
    }
}
