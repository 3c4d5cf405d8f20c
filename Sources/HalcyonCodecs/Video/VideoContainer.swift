package import FoundationEssentials

/// The containers of videos that are read, by their first bytes. Others that FFmpeg knows are not: playlists name other
/// files, and formats of old games are the less examined part of it.
package enum VideoContainer {
    /// The format whose signature these first bytes carry, or `nil`. Those of a transport stream need 565 bytes, others
    /// 64.
    package static func detect(_ prefix: Data) -> ImageFormat? {
        let reader = ByteReader(prefix)
        if let format = movieFormat(reader) {
            return format
        }
        if Signature([0x1a, 0x45, 0xdf, 0xa3]).matches(reader) {
            // The document type is one of the first elements of the header (RFC 8794, 11.2.6).
            return prefix.prefix(64).firstRange(of: Data("webm".utf8)) == nil ? .mkv : .webm
        }
        if Signature("RIFF", and: "AVI ", at: 8).matches(reader) {
            return .avi
        }
        if Signature("OggS").matches(reader) {
            return .ogv
        }
        return isTransportStream(reader) ? .ts : nil
    }

    /// FFmpeg's name of the demuxer; `nil` for other formats.
    package static func demuxer(of format: ImageFormat) -> String? {
        switch format {
        case .mp4, .mov: "mov"
        case .webm, .mkv: "matroska"
        case .avi: "avi"
        case .ts: "mpegts"
        case .ogv: "ogg"
        default: nil
        }
    }

    /// Files with the brand of an image format are images, unless the major brand is that of a video.
    private static func movieFormat(_ reader: ByteReader) -> ImageFormat? {
        if let brands = ISOMediaBrands(reader) {
            guard brands.imageFormat == nil else {
                return nil
            }
            return reader.hasText("ftypqt", at: 4) ? .mov : .mp4
        }
        // Old QuickTime movies have no file type box; these are the boxes that they begin with.
        let first: [StaticString] = ["moov", "mdat", "wide", "free", "skip", "pnot"]
        return first.contains { reader.hasText($0, at: 4) } ? .mov : nil
    }

    /// Packets of 188 bytes, or of 192 with a time before each; each begins with the same byte.
    private static func isTransportStream(_ reader: ByteReader) -> Bool {
        [(0, 188), (4, 192)].contains { start, length in
            (0..<3).allSatisfy { reader.uint8(at: start + $0 * length) == 0x47 }
        }
    }
}
