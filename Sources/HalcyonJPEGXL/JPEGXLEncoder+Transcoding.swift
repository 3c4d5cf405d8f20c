internal import CJPEGXLShim
public import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonSystem

extension JPEGXLEncoder: JPEGTranscoder {
    /// Repacks the coefficients of a JPEG file, which becomes about a fifth smaller.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for a JPEG file that libjxl cannot restore, such as one with
    ///   arithmetic coding or four components, and what ``JPEGDecoder`` throws for one with a damaged header.
    public func transcode(_ jpeg: Data, options: EncodeOptions) throws(CodecError) -> Data {
        _ = try JPEGDecoder().info(of: jpeg, limits: .standard)
        let encoder = try JPEGXLWriter.encoder()
        defer { libjxl.JxlEncoderDestroy(encoder) }
        guard let settings = libjxl.JxlEncoderFrameSettingsCreate(encoder, nil) else {
            throw .cannotEncode(.jxl, reason: "out of memory")
        }
        let effort = Int64(options.effort(from: 1, to: 9, default: JPEGXLWriter.defaultEffort))
        var output = GatheredBytes()
        let isEncoded = jpeg.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return libjxl.JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, effort)
                == JXL_ENC_SUCCESS
                && libjxl.JxlEncoderUseContainer(encoder, 1) == JXL_ENC_SUCCESS
                && libjxl.JxlEncoderStoreJPEGMetadata(encoder, 1) == JXL_ENC_SUCCESS
                && libjxl.JxlEncoderAddJPEGFrame(settings, start, bytes.count) == JXL_ENC_SUCCESS
        }
        libjxl.JxlEncoderCloseInput(encoder)
        guard isEncoded, try JPEGXLWriter.drain(encoder, into: &output) == JXL_ENC_SUCCESS else {
            let error = libjxl.JxlEncoderGetError(encoder)
            throw .cannotEncode(.jxl, reason: "libjxl cannot repack this JPEG file (error \(error.rawValue))")
        }
        return output.data
    }

    /// Restores the JPEG file.
    ///
    /// - Throws: What ``JPEGXLDecoder`` throws for a damaged header, ``CodecError/corrupt(_:reason:)`` or
    ///   ``CodecError/truncated(_:)`` for damage behind it.
    public func restoredJPEG(of data: Data) throws(CodecError) -> Data? {
        let info = try JPEGXLDecoder().info(of: data, limits: .standard)
        guard let decoder = libjxl.JxlDecoderCreate(nil) else {
            throw .bitmap(.outOfMemory(byteCount: 0))
        }
        defer { libjxl.JxlDecoderDestroy(decoder) }
        // A coefficient takes less than two bytes; beside them a file has its other segments.
        let maximum = 6 * info.size.area + Self.maximumSegmentByteCount
        let events = Int32(bitPattern: JXL_DEC_JPEG_RECONSTRUCTION.rawValue | JXL_DEC_FULL_IMAGE.rawValue)
        let result = data.withUnsafeBytes { bytes -> Result<Data?, CodecError> in
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            guard libjxl.JxlDecoderSubscribeEvents(decoder, events) == JXL_DEC_SUCCESS,
                libjxl.JxlDecoderSetInput(decoder, start, bytes.count) == JXL_DEC_SUCCESS
            else {
                return .failure(.unsupported(.jxl, reason: "this version of libjxl"))
            }
            libjxl.JxlDecoderCloseInput(decoder)
            return Result { () throws(CodecError) in
                try Self.restore(decoder, byteCount: min(2 * bytes.count + 65_536, maximum), maximum: maximum)
            }
        }
        return try result.get()
    }

    /// The segments of a JPEG file besides its image that are restored: profiles, metadata, and what follows the end.
    private static let maximumSegmentByteCount = 32 << 20

    /// libjxl writes the file as a whole, and nothing where there is too little room, so that it gets more each time.
    private static func restore(
        _ decoder: OpaquePointer,
        byteCount: Int,
        maximum: Int
    ) throws(CodecError) -> Data? {
        guard libjxl.JxlDecoderProcessInput(decoder) == JXL_DEC_JPEG_RECONSTRUCTION else { return nil }
        var jpeg = Data()
        var size = 0
        while size < maximum {
            size = min(max(2 * size, byteCount), maximum)
            var status = JXL_DEC_ERROR
            jpeg = try Data.written(capacity: size) { target in
                target.copyBytes(from: jpeg)
                let rest = UnsafeMutableRawBufferPointer(rebasing: target[jpeg.count...])
                let start = rest.assumingMemoryBound(to: UInt8.self).baseAddress
                guard libjxl.JxlDecoderSetJPEGBuffer(decoder, start, rest.count) == JXL_DEC_SUCCESS else {
                    return jpeg.count
                }
                status = libjxl.JxlDecoderProcessInput(decoder)
                return target.count - libjxl.JxlDecoderReleaseJPEGBuffer(decoder)
            }
            switch status {
            case JXL_DEC_JPEG_NEED_MORE_OUTPUT: continue
            case JXL_DEC_FULL_IMAGE, JXL_DEC_SUCCESS: return jpeg
            case JXL_DEC_NEED_MORE_INPUT: throw .truncated(.jxl)
            default: throw .corrupt(.jxl, reason: "the data of a JPEG file")
            }
        }
        throw .corrupt(.jxl, reason: "a JPEG file of more than \(maximum) bytes")
    }
}
