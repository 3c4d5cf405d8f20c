internal import FoundationEssentials

extension EXIF {
    /// The JPEG file of the second directory (CIPA DC-008 4.5.5 and 4.8.1), or `nil` where there is none, where it is
    /// not compressed, or where its place lies outside of the block.
    ///
    /// The block starts with "II" or "MM". Linear in the entries of the two directories, at most 65,535 each.
    static func thumbnail(in tiff: Data) -> Data? {
        guard let reader = tiffReader(of: tiff), let first = reader.uint32(at: 4),
            let entryCount = reader.uint16(at: first), let second = reader.uint32(at: first + 2 + entryCount * 12),
            second > 0, let offset = number(offsetTag, inDirectoryAt: second, of: reader),
            let length = number(lengthTag, inDirectoryAt: second, of: reader), length > 2
        else {
            return nil
        }
        return reader.bytes(at: offset, count: length)
    }

    /// JPEGInterchangeFormat and JPEGInterchangeFormatLength, both one LONG.
    private static let offsetTag = 0x0201
    private static let lengthTag = 0x0202

    private static func number(_ tag: Int, inDirectoryAt directory: Int, of reader: ByteReader) -> Int? {
        guard let entryCount = reader.uint16(at: directory) else {
            return nil
        }
        for index in 0..<entryCount {
            let entry = directory + 2 + index * 12
            guard let entryTag = reader.uint16(at: entry) else {
                return nil
            }
            if entryTag == tag {
                return reader.uint16(at: entry + 2) == 4 ? reader.uint32(at: entry + 8) : nil
            }
        }
        return nil
    }
}
