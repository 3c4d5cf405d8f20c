internal import CHEIFShim
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonSystem

/// A decoded image: owns libheif's pixels, RGBA.
final class HEIFImage {
    private let image: OpaquePointer
    private let hasAlpha: Bool
    /// What memory and limits were checked for.
    private let statedSize: PixelSize
    private let format: ImageFormat
    private let depth: SampleDepth

    init(decoding source: HEIFImageHandle, depth: SampleDepth) throws(CodecError) {
        guard let options = libheif.heif_decoding_options_alloc() else {
            throw .bitmap(.outOfMemory(byteCount: 0))
        }
        defer { libheif.heif_decoding_options_free(options) }
        options.pointee.convert_hdr_to_8bit = depth == .eight ? 1 : 0
        var image: OpaquePointer?
        let layout = depth == .eight ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RRGGBBAA_LE
        let result = HeapFilling.whileFilled {
            libheif.heif_decode_image(source.handle, &image, heif_colorspace_RGB, layout, options)
        }
        try HEIFReader.check(result, source.container)
        guard let image else {
            throw .corrupt(source.container.format, reason: "no pixels")
        }
        self.image = image
        self.depth = depth
        hasAlpha = source.hasAlpha
        statedSize = source.size
        format = source.container.format
    }

    deinit {
        libheif.heif_image_release(image)
    }

    func bitmap(premultiplies: Bool) throws(CodecError) -> Bitmap {
        var bytesPerRow: Int32 = 0
        let size = PixelSize(
            Int(libheif.heif_image_get_width(image, heif_channel_interleaved)),
            Int(libheif.heif_image_get_height(image, heif_channel_interleaved))
        )
        guard let rows = libheif.heif_image_get_plane_readonly(image, heif_channel_interleaved, &bytesPerRow),
            !size.isEmpty, Int(bytesPerRow) >= size.width * depth.bytesPerPixel
        else {
            throw .corrupt(format, reason: "no pixels")
        }
        guard size == statedSize else {
            throw .corrupt(format, reason: "an image of \(statedSize) pixels is decoded as \(size)")
        }
        var bitmap = try Bitmap.forDecoding(size, isOpaque: !hasAlpha, depth: depth)
        let outBytesPerRow = bitmap.bytesPerRow
        bitmap.withUnsafeMutableBytes { pixels in
            guard let out = pixels.assumingMemoryBound(to: UInt8.self).baseAddress else {
                return
            }
            for y in 0..<size.height {
                copy(rows + y * Int(bytesPerRow), to: out + y * outBytesPerRow, size.width, hasAlpha && premultiplies)
            }
        }
        if hasAlpha {
            bitmap.isOpaque = !bitmap.containsTransparency()
        }
        return bitmap
    }

    /// Copies a row, of which libheif's samples may have 9 to 16 bits in two bytes, the lower one first.
    private func copy(
        _ source: UnsafePointer<UInt8>,
        to out: UnsafeMutablePointer<UInt8>,
        _ count: Int,
        _ premultiplies: Bool
    ) {
        switch depth {
        case .eight:
            if premultiplies {
                _ = PixelConversion.premultiply(source, into: out, count: count)
            } else {
                out.update(from: source, count: count * 4)
            }
        case .sixteen:
            let bits = min(
                max(Int(libheif.heif_image_get_bits_per_pixel_range(image, heif_channel_interleaved)), 8),
                16
            )
            let maximum = UInt32(1) << bits - 1
            let (from, to) = (UnsafeRawPointer(source), UnsafeMutableRawPointer(out))
            for offset in stride(from: 0, to: count * 8, by: 2) {
                let sample = UInt32(UInt16(littleEndian: from.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
                let scaled = (min(sample, maximum) * 65_535 + maximum / 2) / maximum
                to.storeBytes(of: UInt16(scaled), toByteOffset: offset, as: UInt16.self)
            }
            if premultiplies {
                _ = PixelConversion.premultiply16(to, into: to, count: count)
            }
        }
    }
}
