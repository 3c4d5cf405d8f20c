public import FoundationEssentials

extension WebPDecoder {
    /// Reads the chunks ICCP, EXIF and XMP, the first of each that is complete.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` without a whole RIFF header, ``CodecError/corrupt(_:reason:)`` where it
    ///   is another one.
    public func metadata(of data: Data) throws(CodecError) -> ImageMetadata {
        var metadata = ImageMetadata()
        var chunks = try WebPChunks(data)
        while let chunk = chunks.next() {
            guard !chunk.isCutShort else {
                break
            }
            switch chunk.name {
            case "ICCP" where metadata.iccProfile == nil:
                metadata.iccProfile = try .written(copying: chunk.reader.data)
            case "EXIF" where metadata.exif == nil:
                metadata.exif = try .written(copying: EXIF.tiff(of: chunk.reader.data))
            case "XMP " where metadata.xmp == nil:
                metadata.xmp = try .written(copying: chunk.reader.data)
            default: break
            }
        }
        return metadata
    }
}
