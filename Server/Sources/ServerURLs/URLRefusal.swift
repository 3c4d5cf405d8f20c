/// The reason why a URL is not answered.
public enum URLRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path is none of the dialect.
    case malformed(String)
    /// The option, named first, has arguments that it does not take.
    case invalidArgument(option: String, String)
    /// The option, or filter, is known and not understood here, for this reason.
    case unsupported(option: String, String)
    /// There is no option of this name.
    case unknownOption(String)
    /// There is no preset of this name.
    case unknownPreset(String)
    /// The preset is named by itself, or more than once.
    case repeatedPreset(String)
    /// The server answers URLs of presets alone, and this option is none.
    case presetsOnly(option: String)
    /// The signature is none of the server's keys for this URL, or there is none.
    case signature
    /// The time of the URL is over.
    case expired

    /// The status of the answer.
    public var status: Int {
        switch self {
        case .malformed, .invalidArgument, .unsupported, .unknownOption, .unknownPreset, .repeatedPreset: 400
        case .presetsOnly, .signature: 403
        case .expired: 410
        }
    }

    /// A sentence for the person who wrote the URL.
    public var description: String {
        switch self {
        case .malformed(let reason): "This is not a URL of this server: \(reason)."
        case .invalidArgument(let option, let reason): "The option “\(option)” \(reason)."
        case .unsupported(let option, let reason): "The option “\(option)” is not supported: \(reason)."
        case .unknownOption(let option): "There is no option “\(option)”."
        case .unknownPreset(let name): "There is no preset “\(name)”."
        case .repeatedPreset(let name): "The preset “\(name)” is named by itself, or more than once."
        case .presetsOnly(let option): "This server takes presets alone, and not the option “\(option)”."
        case .signature: "The signature of the URL is missing or wrong."
        case .expired: "The URL has expired."
        }
    }
}
