internal import FoundationEssentials

/// The brands of a file in the ISO base media format (ISO/IEC 14496-12, clause 4.3): AVIF, HEIC, MP4 and others.
struct ISOMediaBrands {
    private let major: String
    private let compatible: [String]

    /// Reads as many brands as there are in these first bytes; `nil` if they start with no file type box.
    init?(_ reader: ByteReader) {
        guard let boxSize = reader.uint32(at: 0), reader.hasText("ftyp", at: 4), let major = Self.brand(reader, at: 8)
        else {
            return nil
        }
        self.major = major
        // The minor version, at byte 12, is a brand in the short form of these files (HEIF, "mif3").
        compatible = stride(from: 12, to: min(boxSize, reader.count) - 3, by: 4).compactMap {
            Self.brand(reader, at: $0)
        }
    }

    /// The image format: by the first brand that tells, the major one before the others.
    var imageFormat: ImageFormat? {
        // Videos may list image brands for their cover.
        guard !Self.isVideo(major) else {
            return nil
        }
        let brands = [major] + compatible
        if let format = brands.lazy.compactMap(Self.format(ofBrand:)).first {
            return format
        }
        return brands.contains(where: Self.generalBrands.contains) ? .heif : nil
    }

    /// Images coded as the decoder must find out (mif, msf, miaf), or as AVC, VVC, JPEG or without compression.
    private static let generalBrands: Set<String> = [
        "mif1", "mif2", "mif3", "msf1", "miaf", "avci", "avcs", "vvic", "vvis", "jpeg", "jpgs", "unif", "heif",
    ]

    private static func isVideo(_ brand: String) -> Bool {
        ["iso", "mp4", "qt", "M4", "3g", "avc1", "dash", "f4"].contains(where: brand.hasPrefix)
    }

    private static let heicBrands: Set<String> = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"]

    private static func format(ofBrand brand: String) -> ImageFormat? {
        if brand == "avif" || brand == "avis" {
            return .avif
        }
        return heicBrands.contains(brand) ? .heic : nil
    }

    private static func brand(_ reader: ByteReader, at offset: Int) -> String? {
        reader.bytes(at: offset, count: 4).map { String(decoding: $0, as: UTF8.self) }
    }
}
