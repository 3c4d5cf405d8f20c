import FoundationEssentials
import HalcyonRaster

@testable import HalcyonCodecs

/// A file that can be decoded while its bytes arrive.
enum IncrementalSample: String, CaseIterable, Sendable {
    case baselineJPEG, progressiveJPEG, grayJPEG, turnedJPEG
    case png, palettePNG, translucentPNG, interlacedPNG, smallInterlacedPNG, widePNG
    /// Its image data have a text and an orientation between them.
    case interruptedPNG
    case lossyWebP, losslessWebP
    /// Files that state their orientation behind their pixels.
    case turnedPNG, turnedInterlacedPNG, turnedWebP
    case gif, animatedGIF

    var data: Data {
        get throws {
            let photo = try TestImages.photo(61, 37)
            switch self {
            case .baselineJPEG: return try JPEGEncoder().encode(photo, options: EncodeOptions())
            case .progressiveJPEG:
                return JPEGBytes(width: 40, height: 24, samples: [148, 90, 200], process: 0xc2, detailScanCount: 3).data
            case .grayJPEG: return JPEGBytes(samples: [100], process: 0xc2).data
            case .turnedJPEG:
                let segments = JPEGBytes.exif(orientation: 6)
                return JPEGBytes(width: 40, height: 24, process: 0xc2, segments: segments).data
            case .png: return try PNGEncoder().encode(photo, options: EncodeOptions())
            case .palettePNG:
                let bitmap = try TestImages.bitmap(50, 20) { x, y in (x % 4 * 60, y % 4 * 60, 0, 255) }
                return try PNGEncoder().encode(bitmap, options: EncodeOptions())
            case .translucentPNG:
                return try PNGEncoder().encode(TestImages.translucent(33, 29), options: EncodeOptions())
            case .interlacedPNG: return Self.interlaced(PixelSize(37, 21), depth: 8)
            case .smallInterlacedPNG: return Self.interlaced(PixelSize(3, 1), depth: 8)
            case .widePNG: return Self.interlaced(PixelSize(19, 12), depth: 16)
            case .interruptedPNG: return Self.interlaced(PixelSize(37, 21), depth: 8, between: Self.textAndTurn)
            case .lossyWebP: return try WebPEncoder().encode(photo, options: EncodeOptions(quality: 80))
            case .losslessWebP:
                let options = EncodeOptions(quality: nil)
                return try WebPEncoder().encode(TestImages.translucent(33, 29), options: options)
            case .turnedPNG: return Self.turned(try PNGEncoder().encode(photo, options: EncodeOptions()))
            case .turnedInterlacedPNG: return Self.turned(Self.interlaced(PixelSize(37, 21), depth: 8))
            case .turnedWebP:
                // Longer than the decoder waits for.
                let photo = try TestImages.photo(641, 387)
                let image = try WebPEncoder().encode(photo, options: EncodeOptions(quality: 80))
                return WebPBytes.file(
                    WebPBytes.extendedHeader(flags: 0x08, width: 641, height: 387),
                    WebPBytes.imageChunks(of: image),
                    WebPBytes.chunk("EXIF", EXIFBlock(orientation: 6).data)
                )
            case .gif: return try GIFEncoder().encode(photo, options: EncodeOptions())
            case .animatedGIF:
                let frames = [photo, try TestImages.photo(61, 37)].map { AnimationFrame(bitmap: $0, duration: 70) }
                return try GIFEncoder().encode(frames, loopCount: 0, options: EncodeOptions())
            }
        }
    }

    /// The chunks of a text and of an orientation.
    private static var textAndTurn: [UInt8] {
        let text = PNGBytes.chunk("tEXt", Array("Comment\u{0}late".utf8))
        return text + PNGBytes.chunk("eXIf", [UInt8](EXIFBlock(orientation: 6).data))
    }

    /// A PNG that ends with a text and an orientation.
    private static func turned(_ png: Data) -> Data {
        png.dropLast(PNGBytes.end.count) + textAndTurn + PNGBytes.end
    }

    /// RGBA whose samples differ from pixel to pixel, uncompressed, in IDAT chunks each of which `between` follows.
    static func interlaced(_ size: PixelSize, depth: UInt8, between: [UInt8] = []) -> Data {
        var random = SeededRandom(seed: 3)
        var rows: [UInt8] = []
        for pass in PNGInterlacePass.all {
            let size = pass.size(of: size)
            guard !size.isEmpty else { continue }
            for y in 0..<size.height {
                // The filters alternate.
                rows.append(UInt8(y % 5))
                for _ in 0..<size.width * 4 * Int(depth) / 8 { rows.append(UInt8(truncatingIfNeeded: random.next())) }
            }
        }
        let stream = PNGBytes.stored(rows)
        let header = PNGBytes.header(size.width, size.height, depth: depth, colorType: 6, interlaced: true)
        let pieces = stride(from: 0, to: stream.count, by: 700).map { start in
            PNGBytes.chunk("IDAT", Array(stream[start..<min(start + 700, stream.count)])) + between
        }
        return PNGBytes.file([header] + pieces + [PNGBytes.end])
    }
}
