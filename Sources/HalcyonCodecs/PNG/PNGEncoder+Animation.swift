public import FoundationEssentials
internal import HalcyonRaster

extension PNGEncoder: AnimationEncoder {
    /// Encodes an animation with 8 bits a sample. Of each frame, the rectangle that differs from the frame before is
    /// stored: as it is, or with the pixels that stay transparent, to be laid over that frame, whichever is smaller.
    /// Opaque animations get alpha only where that makes the whole smaller.
    ///
    /// Durations above 65 seconds are rounded to hundredths of a second, above 655 seconds to seconds, and 65,535
    /// seconds are the most.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)``, ``CodecError/bitmap(_:)``, or `CancellationError`.
    public func encode(
        _ frames: [AnimationFrame],
        loopCount: Int,
        options: EncodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> Data {
        let size = try frames.commonSize(for: format)
        let compressor = try PNGCompressor(options)
        let stored = try Self.smallest(frames, compressor, isCancelled)
        var writer = PNGChunkWriter()
        try writer.appendHeader(size, stored.layout, options.embeddedMetadata(in: .png, of: size), compressor)
        var control: [UInt8] = []
        control.append(bigEndian: UInt32(truncatingIfNeeded: frames.count))
        control.append(bigEndian: UInt32(clamping: loopCount))
        try writer.append(.animationControl, control)
        var sequenceNumber: UInt32 = 0
        for (number, frame) in stored.frames.enumerated() {
            try writer.append(.frameControl, frame.control(sequenceNumber))
            sequenceNumber += 1
            if number == 0 {
                try writer.append(.imageData, [], frame.data)
            } else {
                var head: [UInt8] = []
                head.append(bigEndian: sequenceNumber)
                try writer.append(.frameData, head, frame.data)
                sequenceNumber += 1
            }
        }
        try writer.append(.imageEnd)
        return writer.data
    }

    /// The frames without alpha if none has any, unless they are smaller with the pixels that stay left out.
    private static func smallest(
        _ frames: [AnimationFrame],
        _ compressor: PNGCompressor,
        _ isCancelled: () -> Bool
    ) throws -> PNGAnimationFrames {
        let hasAlpha = frames.contains { !$0.bitmap.isOpaque && $0.bitmap.containsTransparency() }
        let layout = PNGPixelLayout(hasAlpha: hasAlpha, depth: .eight)
        let stored = try PNGAnimationFrames(frames, layout, comparesBlending: true, compressor, isCancelled)
        guard !hasAlpha, stored.canOverlay else {
            return stored
        }
        let overlaid = try PNGAnimationFrames(frames, .rgba(.eight), comparesBlending: false, compressor, isCancelled)
        return overlaid.byteCount < stored.byteCount ? overlaid : stored
    }
}

extension PNGAnimationFrames.Frame {
    /// The payload of fcTL for a frame that stays (PNG, 11.3.6.2).
    fileprivate func control(_ sequenceNumber: UInt32) -> [UInt8] {
        var payload: [UInt8] = []
        payload.append(bigEndian: sequenceNumber)
        for number in [area.size.width, area.size.height, area.origin.x, area.origin.y] {
            payload.append(bigEndian: UInt32(truncatingIfNeeded: number))
        }
        let (numerator, denominator) = Self.fraction(milliseconds: max(0, duration))
        payload.append(bigEndian: UInt16(clamping: numerator))
        payload.append(bigEndian: UInt16(denominator))
        return payload + [0, blending == .over ? 1 : 0]
    }

    private static func fraction(milliseconds: Int) -> (numerator: Int, denominator: Int) {
        if milliseconds <= 0xFFFF {
            return (milliseconds, 1000)
        }
        return milliseconds <= 655_350 ? ((milliseconds + 5) / 10, 100) : (milliseconds / 1000, 1)
    }
}
