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
        compatible = stride(from: 16, to: min(boxSize, reader.count) - 3, by: 4).compactMap {
            Self.brand(reader, at: $0)
        }
    }

    /// The picture format: by the major brand if it tells, otherwise by the others.
    var imageFormat: ImageFormat? {
        if let format = Self.format(ofBrand: major) {
            return format
        }
        // Only files that claim to be pictures: videos may list picture brands for their cover.
        guard Self.generalBrands.contains(major) else {
            return nil
        }
        return compatible.lazy.compactMap(Self.format(ofBrand:)).first ?? .heif
    }

    private static let generalBrands: Set<String> = ["mif1", "mif2", "mif3", "msf1", "miaf"]
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
