internal import FoundationEssentials
internal import Glibc
package import HalcyonRaster

/// Decodes the frames of an animation, each at the size of the place that shows it. Rising numbers cost one frame each.
package final class ImageAnimationDecoder: Sendable {
    /// The place that frames come from.
    private enum Source: Sendable {
        case reader(FrameReader)
        case decoded([DecodedImage])
    }

    private let source: Source
    private let color: ColorHandling
    /// A Boolean value that indicates whether frames have 16 bits only for the conversion of their colours.
    private let isNarrowed: Bool
    private let limit: BitmapLimit?
    private let limits: DecodeLimits
    private let processing: ImageAnimation.FrameProcessing?

    /// A decoder of the frames of a file.
    init(
        _ data: Data,
        info: ImageInfo,
        codecs: ImageCodecs,
        options: DecodeOptions,
        processing: ImageAnimation.FrameProcessing?
    ) throws {
        color = options.color
        isNarrowed = options.convertsAllBits(of: info)
        (limit, limits) = (options.bitmapLimit, options.limits)
        self.processing = processing
        var options = options
        if isNarrowed { options.keepsSixteenBits = true }
        // Colours are converted where there are fewer pixels: after a frame is scaled down.
        if codecs.isolation?.convertsColors != true { options.convertColorsLater() }
        source = .reader(try codecs.frames(of: data, options: options))
    }

    /// Frames that are decoded and processed.
    init(_ frames: [DecodedImage], color: ColorHandling) {
        source = .decoded(frames)
        self.color = color
        (isNarrowed, limit, limits, processing) = (false, nil, .standard, nil)
    }

    private var frameCount: Int {
        switch source {
        case .reader(let reader): reader.frameCount
        case .decoded(let frames): frames.count
        }
    }

    /// Returns a frame, composed with those before it and processed.
    ///
    /// - Parameters:
    ///   - index: The frame's number, from 0.
    ///   - box: The size of the place that shows the frame, which it is scaled down to fit in; it is never enlarged.
    ///     Default: `nil`, for its own size.
    ///   - isCancelled: Asked at least once for each frame that has to be decoded.
    /// - Throws: ``CodecError``, `CancellationError`, the errors of processors.
    package func frame(
        at index: Int,
        in box: PixelSize? = nil,
        isCancelled: @Sendable () -> Bool = { false }
    ) throws -> DecodedImage {
        var frame: DecodedImage
        switch source {
        case .reader(let reader):
            frame = try reader.frame(at: index, isCancelled: isCancelled)
        case .decoded(let frames):
            guard frames.indices.contains(index) else {
                throw CodecError.noSuchFrame(index, frameCount: frames.count)
            }
            frame = frames[index]
        }
        if let limit {
            let size = limit.reduced(frame.size, depth: frame.bitmap.depth)
            frame = try frame.resampled(to: size, limits, isCancelled)
        }
        if let processing {
            frame = try processing(try inItsColors(frame, isCancelled), isCancelled)
        }
        return try inItsColors(try frame.scaledDown(toFit: box, limits, isCancelled: isCancelled), isCancelled)
    }

    /// Returns a frame in the colours, and with the bits, that frames are to have.
    private func inItsColors(_ frame: DecodedImage, _ isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let frame = try frame.converted(color, isCancelled: isCancelled)
        return isNarrowed ? try frame.withEightBits() : frame
    }

    /// Returns all frames in their order. A frame that shows the same as the one before shares its pixel buffer.
    ///
    /// - Throws: As ``frame(at:in:isCancelled:)`` does.
    package func frames(isCancelled: @Sendable () -> Bool = { false }) throws -> [DecodedImage] {
        var frames: [DecodedImage] = []
        for index in 0..<frameCount {
            let frame = try frame(at: index, isCancelled: isCancelled)
            let isRepeated = frames.last.map {
                $0.isPartial == frame.isPartial && $0.bitmap.hasSameBytes(as: frame.bitmap)
            }
            frames.append(isRepeated == true ? frames[index - 1] : frame)
        }
        return frames
    }
}

extension DecodedImage {
    /// Returns the image, scaled down to fit in a box where it is larger.
    ///
    /// - Parameters:
    ///   - box: `nil` for the image as it is.
    ///   - limits: Those of the memory that this takes.
    /// - Throws: ``CodecError/limitExceeded(_:_:)``, ``CodecError/bitmap(_:)``, `CancellationError`.
    package func scaledDown(
        toFit box: PixelSize?,
        _ limits: DecodeLimits,
        isCancelled: () -> Bool
    ) throws -> DecodedImage {
        guard let box, box.width > 0, box.height > 0, size.width > box.width || size.height > box.height else {
            return self
        }
        return try resampled(to: size.fitting(in: box), limits, isCancelled)
    }

    fileprivate func resampled(
        to size: PixelSize,
        _ limits: DecodeLimits,
        _ isCancelled: () -> Bool
    ) throws -> DecodedImage {
        guard size != self.size else { return self }
        return replacingBitmap(try resampledBitmap(to: size, limits, isCancelled: isCancelled))
    }
}

extension Bitmap {
    /// Returns whether both have the same pixels; compares them row by row, without what pads the rows.
    fileprivate func hasSameBytes(as other: Bitmap) -> Bool {
        guard size == other.size, depth == other.depth else { return false }
        let rowByteCount = width * depth.bytesPerPixel
        return withUnsafeBytes { bytes in
            other.withUnsafeBytes { otherBytes in
                guard let rows = bytes.baseAddress, let otherRows = otherBytes.baseAddress else { return true }
                return (0..<height).allSatisfy { y in
                    memcmp(rows + y * bytesPerRow, otherRows + y * other.bytesPerRow, rowByteCount) == 0
                }
            }
        }
    }
}
