internal import CReferences
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

extension PixelOperations {
    /// The format's C library; for resizing, a textbook filter in C.
    static func library(_ work: PixelWork, _ input: PixelInput) throws -> @Sendable () throws -> Int {
        let bytes = [UInt8](try input.bytes())
        switch work {
        case .thumbnail(let target): return try thumbnail(bytes, input, target)
        case .decode: return try decoding(bytes, input)
        case .frames: return try frames(bytes, input.format)
        case .resize(let target):
            let (width, height) = (Int32(input.size.width), Int32(input.size.height))
            return writing(target.area) {
                halcyon_reference_resize(bytes, width, height, $0, Int32(target.width), Int32(target.height))
            }
        case .filter: throw BenchmarkError("no such library is measured")
        case .encode(let format, let quality): return try encoding(bytes, input, format, Int32(quality))
        case .geometry: throw BenchmarkError("no such library is measured")
        }
    }

    /// Decoding at reduced size alone, which is what no tool over the library can go below.
    private static func thumbnail(
        _ bytes: [UInt8],
        _ input: PixelInput,
        _ target: PixelSize
    ) throws -> @Sendable () throws -> Int {
        switch input.format {
        case .jpeg:
            // The eighths that leave twice the target's sides, as the decoder chooses them.
            let eighths = [1, 2, 4, 8].first { input.size.width * $0 / 8 >= target.width * 2 } ?? 8
            let reduced = PixelSize((input.size.width * eighths + 7) / 8, (input.size.height * eighths + 7) / 8)
            return writing(reduced.area) {
                halcyon_reference_decode_jpeg(bytes, bytes.count, UInt32(eighths), $0, reduced.area * 4)
            }
        case .webp: return webP(bytes, target)
        default: throw BenchmarkError("no such library is measured")
        }
    }

    private static func decoding(_ bytes: [UInt8], _ input: PixelInput) throws -> @Sendable () throws -> Int {
        let area = input.size.area
        switch input.format {
        case .png where halcyon_reference_has_png() == 1:
            return writing(area) { halcyon_reference_decode_png(bytes, bytes.count, $0, area * 4) }
        case .webp: return webP(bytes, input.size)
        case .avif: return calling { halcyon_reference_decode_avif(bytes, bytes.count, 1, 0) }
        default: throw BenchmarkError("no such library is measured")
        }
    }

    private static func frames(_ bytes: [UInt8], _ format: ImageFormat) throws -> @Sendable () throws -> Int {
        switch format {
        case .gif where halcyon_reference_has_gif() == 1:
            return calling { halcyon_reference_decode_gif_frames(bytes, bytes.count) }
        case .webp: return calling { halcyon_reference_decode_webp_frames(bytes, bytes.count) }
        case .avif: return calling { halcyon_reference_decode_avif(bytes, bytes.count, 1, 1) }
        default: throw BenchmarkError("no such library is measured")
        }
    }

    private static func encoding(
        _ bytes: [UInt8],
        _ input: PixelInput,
        _ format: ImageFormat,
        _ quality: Int32
    ) throws -> @Sendable () throws -> Int {
        let (width, height) = (Int32(input.size.width), Int32(input.size.height))
        let encode: @Sendable (UnsafeMutablePointer<Int>) -> Int32
        switch format {
        case .jpeg: encode = { halcyon_reference_encode_jpeg(bytes, width, height, quality, $0) }
        case .webp: encode = { halcyon_reference_encode_webp(bytes, width, height, quality, $0) }
        case .png where halcyon_reference_has_png() == 1:
            encode = { halcyon_reference_encode_png(bytes, width, height, $0) }
        default: throw BenchmarkError("no such library is measured")
        }
        return {
            var byteCount = 0
            try CodecReference.check { encode(&byteCount) }
            return byteCount
        }
    }

    private static func webP(_ bytes: [UInt8], _ size: PixelSize) -> @Sendable () throws -> Int {
        writing(size.area) {
            let (width, height) = (Int32(size.width), Int32(size.height))
            return halcyon_reference_decode_webp(bytes, bytes.count, width, height, $0, size.area * 4)
        }
    }

    private static func calling(_ body: @escaping @Sendable () -> Int32) -> @Sendable () throws -> Int {
        {
            try CodecReference.check(body)
            return 0
        }
    }

    /// Gives each call pixels to write to, not cleared, as a program would that uses the library.
    private static func writing(
        _ area: Int,
        _ body: @escaping @Sendable (UnsafeMutablePointer<UInt8>) -> Int32
    ) -> @Sendable () throws -> Int {
        {
            let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: area * 4)
            defer { pixels.deallocate() }
            try CodecReference.check { body(pixels) }
            return 0
        }
    }
}
