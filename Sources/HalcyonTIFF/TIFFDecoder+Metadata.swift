public import FoundationEssentials
public import HalcyonCodecs

extension TIFFDecoder {
    /// Reads the XMP packet and the ICC profile of the first page, each up to 4 MiB, and the tags of EXIF, which stand in
    /// the directories of the file itself, as a block; not those of BigTIFF.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before the first directory does,
    ///   ``CodecError/corrupt(_:reason:)``.
    public func metadata(of data: Data) throws(CodecError) -> ImageMetadata {
        let file = try TIFFFile(data)
        let first = try file.chain(maximumCount: DecodeLimits.standard.frameCount).pages[0]
        guard let entries = TIFFEntries(file, at: first) else {
            throw .truncated(.tiff)
        }
        return ImageMetadata(
            exif: file.isBig ? nil : TIFFTags.block(of: file.reader, at: first),
            xmp: try .written(copying: entries.bytes(.xmp, maximumCount: ICCProfile.maximumByteCount)),
            iccProfile: try .written(copying: entries.bytes(.iccProfile, maximumCount: ICCProfile.maximumByteCount))
        )
    }
}
