package import FoundationEssentials
internal import Glibc

/// A box of the ISO base media format (ISO/IEC 14496-12, clause 4.2): a size, a type, and what it holds.
package struct ISOMediaBox {
    /// Four characters.
    package let type: String
    /// The offset of the box, which begins with its size.
    let start: Int
    /// The place of its content, as far as the bytes go.
    package let payload: Range<Int>
    /// A Boolean value that indicates whether the box, by its own account, is longer than what it lies in.
    package let isCutShort: Bool
    /// A Boolean value that indicates whether its size says "to the end of the file".
    package let isOpenEnded: Bool
}

/// The boxes that follow each other in a range of bytes.
package struct ISOMediaBoxes: Sequence, IteratorProtocol {
    private let reader: ByteReader
    private let end: Int
    package private(set) var offset: Int

    /// - Parameter range: Where to look; must lie in the reader's bytes.
    init(_ reader: ByteReader, in range: Range<Int>) {
        self.reader = reader
        offset = range.lowerBound
        end = range.upperBound
    }

    /// The next box, or `nil` at the end, or where too few bytes are left for a box's size and type.
    package mutating func next() -> ISOMediaBox? {
        guard offset + 8 <= end, let shortSize = reader.uint32(at: offset),
            let type = reader.bytes(at: offset + 4, count: 4)
        else {
            return nil
        }
        var (size, headerSize) = (shortSize, 8)
        if shortSize == 0 {
            size = end - offset
        } else if shortSize == 1 {
            guard offset + 16 <= end, let high = reader.uint32(at: offset + 8), high < 1 << 30,
                let low = reader.uint32(at: offset + 12)
            else {
                return nil
            }
            (size, headerSize) = (high << 32 | low, 16)
        }
        guard size >= headerSize else {
            return nil
        }
        let available = Swift.min(size, end - offset)
        let box = ISOMediaBox(
            type: String(decoding: type, as: UTF8.self),
            start: offset,
            payload: offset + headerSize..<offset + available,
            isCutShort: available < size,
            isOpenEnded: shortSize == 0
        )
        offset += available
        return box
    }
}

extension ByteReader {
    /// The boxes in a range of these bytes.
    package func boxes(in range: Range<Int>) -> ISOMediaBoxes {
        ISOMediaBoxes(self, in: range)
    }

    /// Returns the place of the content of the first box on a path, such as "trak", "mdia", "hdlr".
    package func payload(ofBox path: String..., in range: Range<Int>) -> Range<Int>? {
        var range = range
        for type in path {
            guard let box = boxes(in: range).first(where: { $0.type == type }) else {
                return nil
            }
            range = box.payload
        }
        return range
    }
}

extension Data {
    /// Returns these bytes with others in the place of some, each at an offset from the first. They stay as they are
    /// where there is no memory for a copy: its size is that of a file, and `Data` would end the process.
    package func replacing(_ changes: [(offset: Int, values: [UInt8])]) -> Data {
        guard !changes.isEmpty, let copy = malloc(count) else {
            return self
        }
        let bytes = UnsafeMutableRawBufferPointer(start: copy, count: count)
        copyBytes(to: bytes)
        for (offset, values) in changes where 0...count - values.count ~= offset {
            bytes[offset..<offset + values.count].copyBytes(from: values)
        }
        return Data(bytesNoCopy: copy, count: count, deallocator: .free)
    }
}
