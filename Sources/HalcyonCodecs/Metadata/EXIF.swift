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

    /// The block as an encoder embeds it: without "Exif\0\0", and with the orientation and the size of the pixels in
    /// place of any other. No offset moves: where the first directory has no orientation, and the pixels are not upright,
    /// one that has it is appended. A size is written only where there is one.
    ///
    /// - Parameter block: `nil` for none, which stays so for upright pixels.
    package static func block(_ block: Data?, orientation: Orientation, size: PixelSize) -> Data? {
        guard var result = block.map({ Data(tiff(of: $0)) }) ?? (orientation == .up ? nil : emptyBlock) else {
            return nil
        }
        if let (reader, entry) = orientationEntry(in: result), reader.bytes(at: entry, count: 12) != nil {
            result.replaceSubrange(entry + 2..<entry + 12, with: fields(orientation, reader.order))
        } else if orientation != .up {
            result = appending(orientation, to: result) ?? appending(orientation, to: emptyBlock) ?? result
        }
        replaceSize(in: &result, with: size)
        return result
    }

    /// Replaces ImageWidth and ImageLength of the first directory, and PixelXDimension and PixelYDimension of EXIF's own
    /// (CIPA DC-008, 4.6.4 and 4.6.5), each by a LONG.
    private static func replaceSize(in tiff: inout Data, with size: PixelSize) {
        guard let reader = tiffReader(of: tiff), let first = reader.uint32(at: 4) else { return }
        let own = entry(directoryTag, inDirectoryAt: first, of: reader).flatMap { reader.uint32(at: $0 + 8) }
        for (directory, tags) in [(first, sizeTags), (own, pixelDimensionTags)] {
            for (tag, value) in zip(tags, [size.width, size.height]) {
                guard let directory, let entry = entry(tag, inDirectoryAt: directory, of: reader),
                    reader.bytes(at: entry, count: 12) != nil
                else { continue }
                let fields = number(4, 2, reader.order) + number(1, 4, reader.order) + number(value, 4, reader.order)
                tiff.replaceSubrange(entry + 2..<entry + 12, with: fields)
            }
        }
    }

    private static func number(_ value: Int, _ byteCount: Int, _ order: ByteReader.ByteOrder) -> [UInt8] {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return order == .littleEndian ? bytes : bytes.reversed()
    }

    /// Type SHORT, one value, in the first two bytes of the field (TIFF 6.0, section 2).
    private static func fields(_ orientation: Orientation, _ order: ByteReader.ByteOrder) -> [UInt8] {
        number(3, 2, order) + number(1, 4, order) + number(orientation.rawValue, 2, order) + [0, 0]
    }

    /// One directory without an entry.
    private static let emptyBlock = Data([0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0])

    /// Appends a copy of the first directory that has an orientation as well, and lets the block begin with that; `nil`
    /// where there is none.
    private static func appending(_ orientation: Orientation, to tiff: Data) -> Data? {
        guard let reader = tiffReader(of: tiff), let directory = reader.uint32(at: 4),
            let count = reader.uint16(at: directory), count < 1 << 12,
            let entries = reader.bytes(at: directory + 2, count: 12 * count),
            let next = reader.bytes(at: directory + 2 + 12 * count, count: 4)
        else {
            return nil
        }
        // Entries are sorted by their tags, and directories begin at even offsets.
        let before = (0..<count).prefix { reader.uint16(at: directory + 2 + 12 * $0) ?? 0 < orientationTag }.count
        let start = (tiff.count + 1) & ~1
        var result = tiff + [UInt8](repeating: 0, count: start - tiff.count) + number(count + 1, 2, reader.order)
        result += entries.prefix(12 * before) + number(orientationTag, 2, reader.order)
        result += fields(orientation, reader.order) + entries.dropFirst(12 * before) + next
        result.replaceSubrange(4..<8, with: number(start, 4, reader.order))
        return result
    }

    /// The block without the prefix that belongs to JPEG's segment.
    package static func tiff(of block: Data) -> Data {
        ByteReader(block).hasText("Exif\0\0", at: 0) ? block.dropFirst(6) : block
    }

    /// Returns the place of the entry of the orientation in a TIFF file.
    private static func orientationEntry(in tiff: Data) -> (reader: ByteReader, entry: Int)? {
        guard let reader = tiffReader(of: tiff), let directory = reader.uint32(at: 4),
            let entry = entry(orientationTag, inDirectoryAt: directory, of: reader)
        else {
            return nil
        }
        return (reader, entry)
    }

    /// Returns the place of the first entry with a tag; `nil` where the directory has none, or ends before it.
    static func entry(_ tag: Int, inDirectoryAt directory: Int, of reader: ByteReader) -> Int? {
        guard let entryCount = reader.uint16(at: directory) else {
            return nil
        }
        for index in 0..<entryCount {
            let entry = directory + 2 + index * 12
            guard let entryTag = reader.uint16(at: entry) else {
                return nil
            }
            if entryTag == tag {
                return entry
            }
        }
        return nil
    }

    private static let orientationTag = 274
    /// The place of EXIF's own directory.
    private static let directoryTag = 34_665
    private static let (sizeTags, pixelDimensionTags) = ([256, 257], [40_962, 40_963])

    package static func tiffReader(of tiff: Data) -> ByteReader? {
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
