public import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonRaster

extension JPEGXLDecoder: IncrementalDecoding {
    /// Begins to read a still image. One that is shown before all of it is there appears once, at an eighth of its
    /// resolution, and smoothed: libjxl 0.7 does so for lossy images of more than 256 pixels a side without alpha.
    ///
    /// Animations, frames that are drawn on each other, and four inks are read once all of the file is there.
    public func incrementalReader(for beginning: Data, options: DecodeOptions) throws -> any IncrementalReading {
        // One frame only, as the others cannot be counted before they come.
        let header = try JPEGXLHeader(beginning, maximumFrameCount: 1, frames: .drawn(maximumPixelCount: 0))
        guard !header.isAnimated else {
            throw CodecError.unsupported(.jxl, reason: "an animation, while bytes arrive")
        }
        guard header.blackChannel == nil else {
            throw CodecError.unsupported(.jxl, reason: "four inks, while bytes arrive")
        }
        try options.limits.check(header.size, of: .jxl)
        guard header.hasWholeImage else { throw CodecError.truncated(.jxl) }
        let byteCount = header.size.bitmapByteCount(depth: header.depth(for: options))
        // The pixels of libjxl are copied to each image.
        try options.limits.checkMemory(byteCount, byteCount, header.workingByteCount, of: .jxl)
        return try JPEGXLIncrementalReader(beginning, header, options: options)
    }
}
