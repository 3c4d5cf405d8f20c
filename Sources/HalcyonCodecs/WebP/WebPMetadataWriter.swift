internal import CWebP
internal import FoundationEssentials

/// Adds the chunks of metadata to a WebP file (RFC 9649 2.7.1.4, 2.7.1.5).
enum WebPMetadataWriter {
    /// The file with what `metadata` has, or as it is where that is nothing.
    static func embed(_ metadata: ImageMetadata?, in file: Data) throws(CodecError) -> Data {
        let chunks = [
            ("ICCP", metadata?.iccProfile), ("EXIF", metadata?.exif), ("XMP ", metadata?.xmp),
        ].compactMap { name, data in data.map { (name, $0) } }
        guard !chunks.isEmpty else {
            return file
        }
        let result = withWebPData(of: file) { file in WebPMuxCreate(&file, 1) }
        guard let mux = result else {
            throw .cannotEncode(.webp, reason: "out of memory")
        }
        defer { WebPMuxDelete(mux) }
        for (name, data) in chunks {
            let status = withWebPData(of: data) { data in WebPMuxSetChunk(mux, name, &data, 1) }
            guard status == WEBP_MUX_OK else {
                throw .cannotEncode(.webp, reason: "libwebp's error \(status.rawValue) for chunk \(name)")
            }
        }
        var assembled = WebPData()
        defer { WebPDataClear(&assembled) }
        let status = WebPMuxAssemble(mux, &assembled)
        guard status == WEBP_MUX_OK, let bytes = assembled.bytes else {
            throw .cannotEncode(.webp, reason: "libwebp's error \(status.rawValue) while assembling")
        }
        return try Data.written(bytes, count: assembled.size)
    }

    private static func withWebPData<Result>(of data: Data, _ body: (inout WebPData) -> Result) -> Result {
        data.withUnsafeBytes { bytes in
            var view = WebPData(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count)
            return body(&view)
        }
    }
}
