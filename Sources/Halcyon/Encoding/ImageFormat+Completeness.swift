internal import FoundationEssentials
internal import HalcyonCodecs

extension ImageInfo {
    /// Returns whether the file of this description goes to its end; `nil` where only decoding can tell.
    func isComplete(_ data: Data) -> Bool? { file.hasEnd ?? format.isComplete(data) }
}

extension ImageFormat {
    /// Returns whether the file of a still image of this format, whose header could be read, goes to its end; `nil` where
    /// only decoding can tell. Of a GIF, the blocks are walked, of the others a constant number of bytes.
    func isComplete(_ data: Data) -> Bool? {
        switch self {
        // EOI (T.81, B.1.1.3), which does not occur in compressed data.
        case .jpeg: data.ends(with: [0xFF, 0xD9]) ? true : nil
        // IEND (W3C PNG, 11.2.5).
        case .png: data.ends(with: [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]) ? true : nil
        // The trailer (GIF89a, section 27), whose byte may be one of the compressed data as well.
        case .gif: GIFDecoder.hasEnd(data)
        // The length in the header of RIFF, which counts what follows it (RFC 9649, section 2.4).
        case .webp: ByteReader(data, order: .littleEndian).uint32(at: 4).map { $0 + 8 <= data.count }
        case .avif, .heic: data.isFilledByBoxes
        default: nil
        }
    }
}

extension Data {
    /// Whether whole boxes of ISO/IEC 14496-12, one of them with the data of images, fill a file; `nil` where the boxes do
    /// not tell: what is behind the data may be no box, and one that goes to the end of the file may be cut.
    fileprivate var isFilledByBoxes: Bool? {
        var boxes = ByteReader(self).boxes(in: 0..<count)
        var hasData = false
        // Files have three to five of them.
        for _ in 0..<32 {
            guard let box = boxes.next() else { break }
            let isData = box.type == "mdat"
            guard !box.isCutShort, !box.isOpenEnded else { return box.isCutShort && isData ? false : nil }
            hasData = hasData || isData
        }
        return hasData && boxes.offset == count ? true : nil
    }

    fileprivate func ends(with bytes: [UInt8]) -> Bool { suffix(bytes.count).elementsEqual(bytes) }
}
