internal import FoundationEssentials

extension EXIF {
    /// The JPEG file of the second directory (CIPA DC-008 4.5.5 and 4.8.1), or `nil` where there is none, where it is
    /// not compressed, or where its place lies outside of the block.
    ///
    /// The block starts with "II" or "MM". Linear in the entries of the two directories, at most 65,535 each.
    static func thumbnail(in tiff: Data) -> Data? {
        guard let reader = tiffReader(of: tiff), let (_, second) = secondDirectory(of: reader),
            let offset = number(offsetTag, inDirectoryAt: second, of: reader),
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
        guard let entry = entry(tag, inDirectoryAt: directory, of: reader), reader.uint16(at: entry + 2) == 4 else {
            return nil
        }
        return reader.uint32(at: entry + 8)
    }

    /// Returns the bytes of the first directory, whose last four are the place of the second, and that place; `nil` where there
    /// is none.
    private static func secondDirectory(of reader: ByteReader) -> (first: Range<Int>, second: Int)? {
        guard let first = reader.uint32(at: 4), let entryCount = reader.uint16(at: first) else {
            return nil
        }
        let link = first + 2 + 12 * entryCount
        guard let second = reader.uint32(at: link), second > 0 else {
            return nil
        }
        return (first..<link + 4, second)
    }

    /// The block without the thumbnail and its directory, whose bytes are zeros; none moves. Linear in the bytes.
    static func withoutThumbnail(_ block: Data) -> Data {
        var result = Data(tiff(of: block))
        guard let reader = tiffReader(of: result), let (own, directory) = secondDirectory(of: reader),
            let count = reader.uint16(at: directory)
        else {
            return block
        }
        // Strips may lie over each other; no file has use for more than all of its bytes twice.
        var budget = 2 * result.count
        /// Neither the header nor the first directory.
        func clear(_ range: Range<Int>) {
            let range = range.clamped(to: min(8, result.count)..<result.count)
            guard range.count <= budget else { return }
            budget -= range.count
            for index in range where !own.contains(index) { result[index] = 0 }
        }
        /// The numbers of an entry, of type SHORT or LONG.
        func values(_ tag: Int) -> [Int] {
            guard let entry = entry(tag, inDirectoryAt: directory, of: reader),
                let type = reader.uint16(at: entry + 2), type == 3 || type == 4,
                let valueCount = reader.uint32(at: entry + 4), (1...1_024).contains(valueCount)
            else {
                return []
            }
            let size = type == 3 ? 2 : 4
            let start = size * valueCount <= 4 ? entry + 8 : reader.uint32(at: entry + 8)
            return (0..<valueCount).compactMap { number in
                start.flatMap { size == 2 ? reader.uint16(at: $0 + 2 * number) : reader.uint32(at: $0 + 4 * number) }
            }
        }
        // The JPEG, or the strips of plain pixels.
        for (places, counts) in [(offsetTag, lengthTag), (273, 279)] {
            for (offset, byteCount) in zip(values(places), values(counts)) { clear(offset..<offset + byteCount) }
        }
        clear(directory..<directory + 2 + 12 * count + 4)
        result.replaceSubrange(own.upperBound - 4..<own.upperBound, with: [0, 0, 0, 0])
        return result
    }
}
