/// A format of encoded images, named by its usual file extension.
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
    /// AVIF (AV1 Image File Format), still or sequence.
    public static let avif = ImageFormat(rawValue: "avif")
    /// HEIC: HEVC images in a HEIF container (ISO/IEC 23008-12).
    public static let heic = ImageFormat(rawValue: "heic")
    /// A HEIF container (ISO/IEC 23008-12) that does not say in its brands how its images are coded.
    public static let heif = ImageFormat(rawValue: "heif")
    /// JPEG XL (ISO/IEC 18181), bare or in a container.
    public static let jxl = ImageFormat(rawValue: "jxl")
    /// TIFF 6.0 and BigTIFF.
    public static let tiff = ImageFormat(rawValue: "tiff")
    /// Windows and OS/2 bitmap.
    public static let bmp = ImageFormat(rawValue: "bmp")
    /// Windows icon.
    public static let ico = ImageFormat(rawValue: "ico")
    /// Windows mouse pointer.
    public static let cur = ImageFormat(rawValue: "cur")
    /// QOI, the Quite OK Image Format.
    public static let qoi = ImageFormat(rawValue: "qoi")
    /// Scalable Vector Graphics.
    public static let svg = ImageFormat(rawValue: "svg")

    /// The file extension.
    public var description: String { rawValue }
}
