internal import CJPEGXLShim
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// Decodes frames of one file, each composed with those it is drawn on.
///
/// A class, because it is moved along with libjxl's decoder, which it owns.
final class JPEGXLFrameReader {
    let header: JPEGXLHeader
    /// The colour profile of the pixels; known once a frame is decoded.
    private(set) var colorProfile: ColorProfile?
    /// A Boolean value that indicates whether the frame decoded last is cut short.
    private(set) var isPartial = false
    private let stream: JPEGXLStream
    private let options: DecodeOptions
    private let depth: SampleDepth
    private var inks: JPEGXLInks?
    /// The frame that libjxl decodes next, or `nil` where it stopped in the middle of one.
    private var nextFrame: Int?

    /// Reads the header, and checks the limits for it.
    init(_ data: Data, options: DecodeOptions) throws(CodecError) {
        header = try JPEGXLHeader(
            data,
            maximumFrameCount: options.limits.frameCount,
            frames: .drawn(maximumPixelCount: options.limits.pixelCount)
        )
        try options.limits.check(header.size, of: .jxl)
        depth = header.depth(for: options)
        let byteCount = header.size.bitmapByteCount(depth: depth)
        try options.limits.checkMemory(byteCount, header.workingByteCount, of: .jxl)
        stream = try JPEGXLStream(
            data,
            events: [JXL_DEC_COLOR_ENCODING, JXL_DEC_FULL_IMAGE],
            keepsOrientation: !options.appliesOrientation
        )
        self.options = options
        nextFrame = 0
    }

    func bitmap(ofFrame index: Int, isCancelled: () -> Bool) throws -> Bitmap {
        guard 0..<header.frameCount ~= index else {
            throw CodecError.noSuchFrame(index, frameCount: header.frameCount)
        }
        if let next = nextFrame, next <= index {
            libjxl.JxlDecoderSkipFrames(stream.decoder, index - next)
        } else {
            stream.rewind()
            libjxl.JxlDecoderSkipFrames(stream.decoder, index)
        }
        // Stays so where an error ends this function.
        nextFrame = nil
        isPartial = false
        let size = options.appliedOrientation(of: header.orientation).displaySize(of: header.size)
        var bitmap = try Bitmap.forDecoding(size, isOpaque: true, depth: depth, isCleared: true)
        let (bytesPerRow, hasAlpha) = (bitmap.bytesPerRow, header.hasAlpha)
        var isComplete = true
        bitmap.isOpaque = try bitmap.withUnsafeMutableBytes { pixels in
            isComplete = try decode(into: pixels, size, bytesPerRow: bytesPerRow, isCancelled: isCancelled)
            try inks?.convert(pixels, bytesPerRow: bytesPerRow, isCancelled: isCancelled)
            guard hasAlpha else { return true }
            return try Self.premultiply(
                pixels,
                size,
                bytesPerRow,
                header: header,
                depth: depth,
                isCancelled: isCancelled
            )
        }
        guard isComplete else {
            isPartial = true
            bitmap.isOpaque = bitmap.isOpaque && !bitmap.containsTransparency()
            return bitmap
        }
        nextFrame = index + 1
        return bitmap
    }

    /// Returns whether the whole frame is there.
    private func decode(
        into pixels: UnsafeMutableRawBufferPointer,
        _ size: PixelSize,
        bytesPerRow: Int,
        isCancelled: () -> Bool
    ) throws -> Bool {
        var hasOutput = false
        while let status = try nextEvent(isCancelled: isCancelled) {
            switch status {
            case JXL_DEC_COLOR_ENCODING:
                colorProfile = try JPEGXLColor.choose(for: stream.decoder, header.basics, handling: options.color)
                if header.blackChannel != nil {
                    let profile = options.convertsInks ? try JPEGXLColor.inkProfile(of: stream.decoder) : nil
                    inks = try JPEGXLInks(size, profile: profile)
                }
            case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
                try stream.setOutput(pixels, of: size, bytesPerRow: bytesPerRow, depth: depth)
                hasOutput = true
                if let channel = header.blackChannel {
                    try inks?.receive(channel, from: stream.decoder)
                }
            case JXL_DEC_FULL_IMAGE:
                return true
            default:
                break
            }
        }
        guard options.damage == .showsWhatIsThere, hasOutput, stream.flush(), showsAnything(pixels) else {
            throw CodecError.truncated(.jxl)
        }
        return false
    }

    /// Returns whether any pixel is neither black nor transparent: that is what libjxl draws where it has nothing yet.
    private func showsAnything(_ pixels: UnsafeMutableRawBufferPointer) -> Bool {
        let alphaByteCount = depth.bytesPerPixel / 4
        return pixels.indices.contains { index in
            pixels[index] != 0 && index % (4 * alphaByteCount) < 3 * alphaByteCount
        }
    }

    /// `nil` where the bytes end.
    private func nextEvent(isCancelled: () -> Bool) throws -> JxlDecoderStatus? {
        do {
            return try stream.next(isCancelled: isCancelled)
        } catch CodecError.truncated {
            return nil
        }
    }

    /// Makes alpha what a bitmap has; returns whether all pixels are opaque.
    ///
    /// - Parameter isCancelled: Asked for each 4,194,304 pixels, which take some milliseconds.
    /// - Throws: `CancellationError`.
    static func premultiply(
        _ pixels: UnsafeMutableRawBufferPointer,
        _ size: PixelSize,
        _ bytesPerRow: Int,
        header: JPEGXLHeader,
        depth: SampleDepth,
        isCancelled: () -> Bool
    ) throws -> Bool {
        guard let start = pixels.assumingMemoryBound(to: UInt8.self).baseAddress else {
            return true
        }
        var isOpaque = true
        let rowsPerQuestion = max(1, (1 << 22) / size.width)
        for y in 0..<size.height {
            if y % rowsPerQuestion == 0, isCancelled() { throw CancellationError() }
            let row = start + y * bytesPerRow
            let isRowOpaque =
                switch (header.basics.alpha_premultiplied != 0, depth) {
                case (false, .eight): PixelConversion.premultiply(row, into: row, count: size.width)
                case (false, .sixteen): PixelConversion.premultiply16(row, into: row, count: size.width)
                case (true, _): PixelConversion.limitColors(row, count: size.width, depth: depth)
                }
            isOpaque = isRowOpaque && isOpaque
        }
        return isOpaque
    }
}

/// A place in an animation. libjxl starts again at the last frame that those asked for need.
struct JPEGXLFrameCursor: FrameCursor {
    let reader: JPEGXLFrameReader

    var isPartial: Bool { reader.isPartial }

    mutating func bitmap(ofFrame index: Int, isCancelled: @Sendable () -> Bool) throws -> Bitmap {
        try reader.bitmap(ofFrame: index, isCancelled: isCancelled)
    }
}
