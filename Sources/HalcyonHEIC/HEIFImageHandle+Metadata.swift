internal import CHEIFShim
internal import FoundationEssentials
internal import HalcyonCodecs

extension HEIFImageHandle {
    /// EXIF, XMP and ICC profile.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    func metadata() throws(CodecError) -> ImageMetadata {
        ImageMetadata(
            exif: try exif(),
            xmp: try block("mime") { $0 == "application/rdf+xml" },
            iccProfile: try iccProfile()
        )
    }

    /// The block begins with how far the TIFF header is from its next byte (ISO/IEC 23008-12, A.2.1).
    private func exif() throws(CodecError) -> Data? {
        guard let block = try block("Exif", where: { _ in true }), let distance = ByteReader(block).uint32(at: 0),
            distance <= block.count - 4
        else {
            return nil
        }
        let tiff = block.dropFirst(4 + distance)
        return tiff.isEmpty ? nil : try .written(copying: tiff)
    }

    private func block(_ type: String, where isWanted: (String) -> Bool) throws(CodecError) -> Data? {
        let count = libheif.heif_image_handle_get_number_of_metadata_blocks(handle, type)
        guard 1...1_000 ~= count else {
            return nil
        }
        var identifiers = [heif_item_id](repeating: 0, count: Int(count))
        let found = libheif.heif_image_handle_get_list_of_metadata_block_IDs(handle, type, &identifiers, count)
        for identifier in identifiers.prefix(Int(found)) {
            let content = libheif.heif_image_handle_get_metadata_content_type(handle, identifier).map {
                String(cString: $0)
            }
            guard isWanted(content ?? "") else { continue }
            let size = libheif.heif_image_handle_get_metadata_size(handle, identifier)
            let block = try block(byteCount: size) { libheif.heif_image_handle_get_metadata(handle, identifier, $0) }
            if let block { return block }
        }
        return nil
    }
}
