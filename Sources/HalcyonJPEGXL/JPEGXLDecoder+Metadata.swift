public import FoundationEssentials
public import HalcyonCodecs

extension JPEGXLDecoder {
    /// Reads the boxes "Exif" and "xml " of a container, the first of each that is complete and not compressed, and the
    /// profile of the colours as they were encoded (ISO/IEC 18181-2 clause 9). A bare code stream has the profile only.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before the colour space,
    ///   ``CodecError/corrupt(_:reason:)``.
    public func metadata(of data: Data) throws(CodecError) -> ImageMetadata {
        var metadata = ImageMetadata(
            iccProfile: try JPEGXLHeader(data, maximumFrameCount: 1, frames: .none).iccProfile
        )
        let reader = ByteReader(data)
        guard data.first == 0 else {
            return metadata
        }
        let boxes = reader.boxes(in: 0..<data.count).prefix(JPEGXLContainer.greatestBoxCount)
        for box in boxes where !box.isCutShort {
            let bytes = reader.bytes(at: box.payload.lowerBound, count: box.payload.count)
            switch box.type {
            case "Exif" where metadata.exif == nil:
                // Before the block stands the distance to its TIFF header.
                let start = reader.uint32(at: box.payload.lowerBound).map { $0 + 4 }
                let block = start.flatMap { start in bytes.flatMap { $0.count > start ? $0.dropFirst(start) : nil } }
                metadata.exif = try .written(copying: block.map(EXIF.tiff))
            case "xml " where metadata.xmp == nil:
                metadata.xmp = try .written(copying: bytes)
            default:
                break
            }
        }
        return metadata
    }
}
