internal import FoundationEssentials
internal import HalcyonCodecs

extension ImageFormat {
    /// Returns whether a file of this format, whose header could be read, goes to its end; `nil` where only decoding can
    /// tell. Of a GIF, and of a PNG without its end, the blocks are walked, of the others a constant number of bytes.
    func isComplete(_ data: Data) -> Bool? {
        switch self {
        // EOI (T.81, B.1.1.3), which does not occur in compressed data.
        case .jpeg: data.ends(with: [0xFF, 0xD9]) ? true : nil
        // IEND (W3C PNG, 11.2.5).
        case .png:
            data.ends(with: [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
                ? true : PNGDecoder.hasEnd(data)
        // The trailer (GIF89a, section 27), whose byte may be one of the compressed data as well.
        case .gif: GIFDecoder.hasEnd(data)
        // The length in the header of RIFF, which counts what follows it (RFC 9649, section 2.4).
        case .webp: data.count >= 12 ? data.number(at: 4, isLittleEndian: true) + 8 <= data.count : nil
        case .avif, .heic: data.isFilledByBoxes
        default: nil
        }
    }
}

extension Data {
    /// Whether whole boxes of ISO/IEC 14496-12, one of them with the data of images, fill a file; `nil` where the boxes do
    /// not tell: what is behind the data may be no box.
    fileprivate var isFilledByBoxes: Bool? {
        var (offset, hasData) = (0, false)
        // Files have three to five of them.
        for _ in 0..<32 where count - offset >= 8 {
            let size = number(at: offset)
            // "mdat".
            let isData = number(at: offset + 4) == 0x6D64_6174
            // Others go to the end of the file wherever that is, or have a size of 64 bits.
            guard size >= 8, size <= count - offset else { return size >= 8 && isData ? false : nil }
            hasData = hasData || isData
            offset += size
        }
        return hasData && offset == count ? true : nil
    }

    fileprivate func ends(with bytes: [UInt8]) -> Bool { suffix(bytes.count).elementsEqual(bytes) }

    /// The number in the four bytes at an offset.
    fileprivate func number(at offset: Int, isLittleEndian: Bool = false) -> Int {
        let bytes = dropFirst(offset).prefix(4)
        let number = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Int(isLittleEndian ? number.byteSwapped : number)
    }
}
