internal import CRasterKernels

/// Conversions of one row between the layouts of files and that of ``Bitmap``, for decoders and encoders that work row
/// by row. Nothing needs to be aligned; `source` and `out` may be the same only where a pixel has 4 bytes in both.
package enum PixelConversion {
    /// Multiplies straight red, green, blue, alpha; returns whether every alpha was 255.
    package static func premultiply(
        _ source: UnsafePointer<UInt8>,
        into out: UnsafeMutablePointer<UInt8>,
        count: Int
    ) -> Bool {
        halcyon_premultiply(source, out, count)
    }

    /// Adds alpha 255 to red, green, blue.
    package static func expand(
        rgb source: UnsafePointer<UInt8>,
        into out: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        halcyon_expand_rgb(source, out, count)
    }

    /// Makes opaque pixels of brightness.
    package static func expand(
        gray source: UnsafePointer<UInt8>,
        into out: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        halcyon_expand_gray(source, out, count)
    }

    /// Lowers colours above their alpha to it: they are light without a surface, which a bitmap cannot hold. Returns whether
    /// every alpha is the greatest.
    package static func limitColors(
        _ pixels: UnsafeMutablePointer<UInt8>,
        count: Int,
        depth: SampleDepth = .eight
    ) -> Bool {
        switch depth {
        case .eight: limitColors(of: pixels, count: count)
        case .sixteen:
            limitColors(of: UnsafeMutableRawPointer(pixels).assumingMemoryBound(to: UInt16.self), count: count)
        }
    }

    private static func limitColors<Sample: FixedWidthInteger>(
        of samples: UnsafeMutablePointer<Sample>,
        count: Int
    ) -> Bool {
        var least = Sample.max
        for pixel in stride(from: 0, to: count &* 4, by: 4) {
            let alpha = samples[pixel &+ 3]
            least = min(least, alpha)
            for channel in pixel..<pixel &+ 3 { samples[channel] = min(samples[channel], alpha) }
        }
        return least == .max
    }

    /// Divides the colours by alpha, rounded to nearest; 0 where alpha is 0.
    package static func unpremultiply(
        _ source: UnsafePointer<UInt8>,
        into out: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        halcyon_unpremultiply(source, out, count)
    }

    /// Multiplies as ``premultiply(_:into:count:)`` does, for samples of 16 bits in the byte order of this machine;
    /// returns whether every alpha was 65,535.
    package static func premultiply16(
        _ source: UnsafeRawPointer,
        into out: UnsafeMutableRawPointer,
        count: Int
    ) -> Bool {
        halcyon_premultiply_16(source, out, count)
    }

    /// Divides as ``unpremultiply(_:into:count:)`` does, for samples of 16 bits in the byte order of this machine.
    package static func unpremultiply16(
        _ source: UnsafeRawPointer,
        into out: UnsafeMutableRawPointer,
        count: Int
    ) {
        halcyon_unpremultiply_16(source, out, count)
    }

    /// Writes straight samples in the order of files, which is the big-endian one for samples of 16 bits.
    package static func writeStraight(
        _ source: UnsafePointer<UInt8>,
        into out: UnsafeMutablePointer<UInt8>,
        count: Int,
        depth: SampleDepth
    ) {
        switch depth {
        case .eight:
            unpremultiply(source, into: out, count: count)
        case .sixteen:
            unpremultiply16(source, into: out, count: count)
            if UInt16(bigEndian: 1) != 1 {
                swapBytes16(out, into: out, count: count * 4)
            }
        }
    }

    /// Exchanges the bytes of `count` samples of 16 bits, where the byte order of a file is not that of this machine.
    package static func swapBytes16(
        _ source: UnsafeRawPointer,
        into out: UnsafeMutableRawPointer,
        count: Int
    ) {
        halcyon_swap_sample_bytes(source, out, count)
    }

    /// Puts premultiplied pixels over those that are there: source + out * (1 - source alpha).
    package static func composite(
        _ source: UnsafePointer<UInt8>,
        over out: UnsafeMutablePointer<UInt8>,
        count: Int,
        depth: SampleDepth = .eight
    ) {
        depth.drawOver(source, out, count)
    }
}
