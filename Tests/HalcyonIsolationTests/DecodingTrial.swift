import FoundationEssentials
import Glibc
import HalcyonCodecs
import HalcyonFormats
import HalcyonRaster
import HalcyonSystem
import Testing

@testable import HalcyonIsolation

/// A pool whose workers are `halcyon-decoder`, and codecs that use it.
final class DecodingTrial: Sendable {
    let pool: WorkerPool
    /// The formats of which an image was decoded in the program.
    let reports = Lock<[ImageFormat]>([])

    /// All codecs, which work in this process.
    static let codecs = ImageCodecs.core + [.all]

    init(_ change: (inout WorkerPool.Configuration) -> Void = { _ in }) throws {
        let path = try Trial.path(of: "halcyon-decoder")
        var configuration = WorkerPool.Configuration()
        configuration.isStrict = true
        configuration.program = { path }
        change(&configuration)
        pool = WorkerPool(configuration)
    }

    func codecs(_ policy: DecodeIsolation = .required(.process), scope: String = "") -> ImageCodecs {
        Self.codecs.isolated(
            WorkerIsolation(policy, scope: scope, file: "a.file", pool: pool) { [reports] format, _ in
                reports.withLock { $0.append(format) }
            }
        )
    }

    /// A picture of many colours, the left half of which is translucent.
    static func picture(_ size: PixelSize = PixelSize(61, 37), depth: SampleDepth = .eight) throws -> Bitmap {
        var bitmap = try Bitmap(size: size, depth: depth)
        let (width, rowByteCount) = (bitmap.width, bitmap.bytesPerRow)
        bitmap.withUnsafeMutableBytes { bytes in
            for y in 0..<size.height {
                for x in 0..<width {
                    let alpha = x < width / 2 ? 128 : 255
                    // Red, green, blue and alpha, of which the first is in the lowest bits.
                    let color = UInt32(x & alpha) | UInt32(y & alpha) << 8 | UInt32(x + y & alpha) << 16
                    let pixel = color & 0xFF_FFFF | UInt32(alpha) << 24
                    switch depth {
                    case .eight: bytes.storeBytes(of: pixel, toByteOffset: y * rowByteCount + x * 4, as: UInt32.self)
                    case .sixteen:
                        let halves = SIMD4<UInt16>(
                            truncatingIfNeeded: SIMD4(pixel, pixel >> 8, pixel >> 16, pixel >> 24)
                        )
                        let samples = (halves & 255) &* 257
                        bytes.storeBytes(of: samples, toByteOffset: y * rowByteCount + x * 8, as: SIMD4<UInt16>.self)
                    }
                }
            }
        }
        return bitmap
    }

    /// A drawing with text.
    static let drawing = Data(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><rect width="40" height="20" fill="teal"/>
        <text x="4" y="30" font-size="20">Halcyon</text></svg>
        """.utf8
    )

    /// A file of a format that has an encoder, or a drawing.
    static func file(of format: ImageFormat) throws -> Data {
        if format == .svg { return drawing }
        return try codecs.encode(picture(), as: format, options: EncodeOptions(quality: 80))
    }

    /// Frames of different colours.
    static func animation(_ format: ImageFormat, frameCount: Int = 5) throws -> Data {
        let frames = try (0..<frameCount).map { index in
            var bitmap = try Bitmap(size: PixelSize(20, 10), isOpaque: true)
            bitmap.withUnsafeMutableBytes { bytes in
                for offset in bytes.indices { bytes[offset] = offset % 4 == 3 ? 255 : UInt8(40 * index + offset % 4) }
            }
            return AnimationFrame(bitmap: bitmap, duration: 40)
        }
        return try codecs.encode(frames, as: format)
    }
}

extension DecodedImage {
    /// All samples, without the bytes that pad rows.
    var samples: [UInt8] {
        bitmap.withUnsafeBytes { bytes in
            (0..<bitmap.height).flatMap { y in
                bytes[y * bitmap.bytesPerRow..<y * bitmap.bytesPerRow + bitmap.width * bitmap.bytesPerPixel]
            }
        }
    }
}

/// Compares all that an image says.
func expectEqual(_ left: DecodedImage, _ right: DecodedImage, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(left.size == right.size, sourceLocation: sourceLocation)
    #expect(left.samples == right.samples, sourceLocation: sourceLocation)
    #expect(left.bitmap.isOpaque == right.bitmap.isOpaque, sourceLocation: sourceLocation)
    #expect(left.fullSize == right.fullSize, sourceLocation: sourceLocation)
    #expect(left.colorProfile == right.colorProfile, sourceLocation: sourceLocation)
    #expect(left.isPartial == right.isPartial, sourceLocation: sourceLocation)
    #expect(left.info == right.info, sourceLocation: sourceLocation)
}
