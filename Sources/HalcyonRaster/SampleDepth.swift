/// The number of bits of each sample of a ``Bitmap``.
public enum SampleDepth: Int, Sendable, Hashable, CaseIterable, Codable {
    /// `UInt8`, from 0 to 255: 4 bytes a pixel.
    case eight = 8
    /// `UInt16` in the byte order of this machine, from 0 to 65,535: 8 bytes a pixel.
    case sixteen = 16

    /// The bytes of four samples: 4 or 8.
    public var bytesPerPixel: Int { rawValue / 2 }

    /// The bytes from row to row of a bitmap of this width: the pixels', rounded up to a multiple of 64.
    ///
    /// The width is at most 2^26, as ``Bitmap/init(size:isOpaque:depth:)`` checks.
    package func bytesPerRow(width: Int) -> Int { (width * bytesPerPixel + 63) & ~63 }
}
