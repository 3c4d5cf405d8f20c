internal import FoundationEssentials
internal import HalcyonCodecs

/// The container of a JPEG XL file (ISO/IEC 18181-2, clause 9): boxes, of which "jxlc" or several "jxlp" hold the image.
///
/// libjxl 0.7 reads neither boxes whose size has 64 bits nor other boxes between the parts of an image, so that the code
/// stream is taken out here.
enum JPEGXLContainer {
    /// The code stream of a file, as far as the bytes go; the same bytes for one without a container.
    ///
    /// Linear in the number of boxes, of which no more than ``greatestBoxCount`` are looked at. Copies an image in several
    /// parts.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before an image begins,
    ///   ``CodecError/corrupt(_:reason:)`` where what stands before it is no box.
    static func codeStream(of data: Data) throws(CodecError) -> Data {
        guard data.starts(with: signature) else {
            return data
        }
        let reader = ByteReader(data)
        var boxes = reader.boxes(in: 0..<reader.count)
        var parts: [Data] = []
        var boxCount = 0
        search: while boxCount < greatestBoxCount, let box = boxes.next() {
            boxCount += 1
            let payload = data[data.startIndex + box.payload.lowerBound..<data.startIndex + box.payload.upperBound]
            switch box.type {
            case "jxlc":
                return payload
            case "jxlp" where payload.count > indexByteCount:
                parts.append(payload.dropFirst(indexByteCount))
                // The highest bit of the index marks the last part.
                if payload[payload.startIndex] & 0x80 != 0 { break search }
            default:
                break
            }
        }
        guard parts.contains(where: { !$0.isEmpty }) else {
            throw boxes.offset + 8 <= reader.count
                ? .corrupt(.jxl, reason: "a box at byte \(boxes.offset)") : .truncated(.jxl)
        }
        return parts.count == 1 ? parts[0] : parts.reduce(into: Data()) { $0.append($1) }
    }

    /// Returns whether a file is a JPEG file that was repacked: what restores it is among the first boxes.
    static func isRepackedJPEG(_ data: Data) -> Bool {
        let reader = ByteReader(data)
        return data.starts(with: signature)
            && reader.boxes(in: 0..<reader.count).prefix(16).contains { $0.type == "jbrd" }
    }

    /// Images are cut into parts of a group of pixels at least.
    static let greatestBoxCount = 65_536

    /// The first box of every container.
    private static let signature: [UInt8] = [0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 0x0A]
    private static let indexByteCount = 4
}
