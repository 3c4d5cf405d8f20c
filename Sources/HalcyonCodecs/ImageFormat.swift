/// A format of encoded pictures, named by its usual file extension.
///
/// An open set: a new format needs no change here.
public struct ImageFormat: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The usual file extension, in lower case, without a dot.
    public let rawValue: String

    /// The format with this file extension.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// JPEG (ITU-T T.81).
    public static let jpeg = ImageFormat(rawValue: "jpeg")
    /// PNG and animated PNG (W3C PNG, third edition).
    public static let png = ImageFormat(rawValue: "png")
    /// GIF 87a and 89a.
    public static let gif = ImageFormat(rawValue: "gif")
    /// WebP (RFC 9649).
    public static let webp = ImageFormat(rawValue: "webp")
    /// PAM, the portable arbitrary map of Netpbm; written as RGBA, 8 bit, straight alpha.
    public static let pam = ImageFormat(rawValue: "pam")

    /// The file extension.
    public var description: String { rawValue }
}
