internal import FoundationEssentials
internal import HalcyonRaster

extension PNGChunkWriter {
    /// The keyword under which PNG holds XMP (XMP specification part 3, 1.1.5).
    static let xmpKeyword = "XML:com.adobe.xmp"

    /// Everything that comes before the first image data.
    mutating func appendHeader(
        _ size: PixelSize,
        _ layout: PNGPixelLayout,
        _ metadata: ImageMetadata?,
        _ compressor: PNGCompressor
    ) throws(CodecError) {
        var header: [UInt8] = []
        header.append(bigEndian: UInt32(truncatingIfNeeded: size.width))
        header.append(bigEndian: UInt32(truncatingIfNeeded: size.height))
        header += [UInt8(layout.bitDepth), layout.colorType.rawValue, 0, 0, 0]
        try append(.imageHeader, header)
        if let profile = metadata?.iccProfile {
            // A name, its end, and the number of the compression method (PNG, 11.3.2.3).
            try append(.colorProfile, Array("ICC profile".utf8) + [0, 0], try compressor.compress(Array(profile)))
        } else {
            // Perceptual, as for photographs.
            try append(.standardColor, [0])
        }
        if let exif = metadata?.exif {
            try append(.exif, [], exif)
        }
        if let xmp = metadata?.xmp {
            // The keyword's end; not compressed, by method 0; no language, no translation (PNG, 11.3.3.4).
            try append(.internationalText, Array(Self.xmpKeyword.utf8) + [0, 0, 0, 0, 0], xmp)
        }
        if case .palette(let palette) = layout {
            try append(.palette, palette.entries)
            if !palette.alphas.isEmpty {
                try append(.transparency, palette.alphas)
            }
        }
    }
}
