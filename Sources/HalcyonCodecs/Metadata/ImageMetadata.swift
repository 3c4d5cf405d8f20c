public import FoundationEssentials

/// The metadata of a file besides its pixels, as the bytes that formats embed.
public struct ImageMetadata: Sendable, Hashable {
    /// An EXIF block that begins with its TIFF header ("II*\0" or "MM\0*"), without the prefix "Exif\0\0".
    public var exif: Data?
    /// An XMP packet (ISO 16684-1), UTF-8.
    public var xmp: Data?
    /// An ICC profile (ICC.1).
    public var iccProfile: Data?

    /// Metadata of which any part may be missing.
    public init(exif: Data? = nil, xmp: Data? = nil, iccProfile: Data? = nil) {
        self.exif = exif
        self.xmp = xmp
        self.iccProfile = iccProfile
    }
}
