package import FoundationEssentials
package import HalcyonRaster

/// Reads what a decoder needs from an EXIF block, which is a small TIFF file (CIPA DC-008, TIFF 6.0).
package enum EXIF {
    /// The orientation tag (274) of the first directory, or `nil` where it is absent, damaged or not 1 to 8.
    ///
    /// The block starts with "II" or "MM"; the "Exif\0\0" that JPEG puts before it, and that some programs also write
    /// into WebP and PNG, is skipped. The directory of the thumbnail has an orientation of its own, which says nothing
    /// about the image, so that only the first directory is read. Linear in the entries of that directory, at most
    /// 65,535.
    package static func orientation(in block: Data) -> Orientation? {
        guard let (reader, entry) = orientationEntry(in: tiff(of: block)) else {
            return nil
        }
        return orientation(at: entry, of: reader)
    }

    /// The block as an encoder embeds it beside upright pixels: without "Exif\0\0", and with the orientation tag of the
    /// first directory, where there is one, set to 1, whatever it was. Nothing else changes, so no offset moves.
    package static func upright(_ block: Data) -> Data {
        var result = Data(tiff(of: block))
        guard let (reader, entry) = orientationEntry(in: result) else {
            return result
        }
        // Type SHORT, one value, in the first two bytes of the field (TIFF 6.0, section 2).
        let fields: [UInt8] =
            reader.order == .littleEndian ? [3, 0, 1, 0, 0, 0, 1, 0, 0, 0] : [0, 3, 0, 0, 0, 1, 0, 1, 0, 0]
        guard reader.bytes(at: entry + 2, count: fields.count) != nil else {
            return result
        }
        result.replaceSubrange(entry + 2..<entry + 2 + fields.count, with: fields)
        return result
    }

    /// The block without the prefix that belongs to JPEG's segment.
    package static func tiff(of block: Data) -> Data {
        ByteReader(block).hasText("Exif\0\0", at: 0) ? block.dropFirst(6) : block
    }

    /// Returns the place of the entry of the orientation in a TIFF file.
    private static func orientationEntry(in tiff: Data) -> (reader: ByteReader, entry: Int)? {
        guard let reader = tiffReader(of: tiff), let directory = reader.uint32(at: 4),
            let entryCount = reader.uint16(at: directory)
        else {
            return nil
        }
        for index in 0..<entryCount {
            let entry = directory + 2 + index * 12
            guard let tag = reader.uint16(at: entry) else {
                return nil
            }
            if tag == orientationTag {
                return (reader, entry)
            }
        }
        return nil
    }

    private static let orientationTag = 274

    static func tiffReader(of tiff: Data) -> ByteReader? {
        let order: ByteReader.ByteOrder
        let header = ByteReader(tiff)
        if header.hasText("II", at: 0) {
            order = .littleEndian
        } else if header.hasText("MM", at: 0) {
            order = .bigEndian
        } else {
            return nil
        }
        let reader = ByteReader(tiff, order: order)
        return reader.uint16(at: 2) == 42 ? reader : nil
    }

    /// The tag is a SHORT; some cameras and editors write a LONG or a BYTE. One value fits into the entry itself,
    /// in its first bytes.
    private static func orientation(at entry: Int, of reader: ByteReader) -> Orientation? {
        guard let type = reader.uint16(at: entry + 2), reader.uint32(at: entry + 4) == 1 else {
            return nil
        }
        let value =
            switch type {
            case 1: reader.uint8(at: entry + 8)
            case 3: reader.uint16(at: entry + 8)
            case 4: reader.uint32(at: entry + 8)
            default: nil as Int?
            }
        return value.flatMap(Orientation.init(rawValue:))
    }
}
