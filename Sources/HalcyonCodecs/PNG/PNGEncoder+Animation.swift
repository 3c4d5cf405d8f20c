public import FoundationEssentials
internal import HalcyonRaster

extension PNGEncoder: AnimationEncoder {
    /// Encodes an animation with 8 bits a sample. Of each frame, the rectangle that differs from the frame before is
    /// stored.
    ///
    /// Durations above 65 seconds are rounded to hundredths of a second, above 655 seconds to seconds, and 65,535
    /// seconds are the most.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)``, ``CodecError/bitmap(_:)``.
    public func encode(
        _ frames: [AnimationFrame],
        loopCount: Int,
        options: EncodeOptions
    ) throws(CodecError) -> Data {
        let size = try frames.commonSize(for: format)
        let hasAlpha = frames.contains { !$0.bitmap.isOpaque && $0.bitmap.containsTransparency() }
        let layout = PNGPixelLayout(hasAlpha: hasAlpha, depth: .eight)
        let compressor = try PNGCompressor()
        var writer = PNGChunkWriter()
        try writer.appendHeader(size, layout, options.metadata, compressor)
        var control: [UInt8] = []
        control.append(bigEndian: UInt32(truncatingIfNeeded: frames.count))
        control.append(bigEndian: UInt32(clamping: loopCount))
        writer.append(.animationControl, control)
        var previous: Bitmap?
        var sequenceNumber: UInt32 = 0
        for frame in frames {
            let bitmap = try frame.bitmap.withEightBits()
            let area = previous.map { bitmap.areaThatDiffers(from: $0) } ?? PixelRect(size: size)
            writer.append(.frameControl, PNGFrame.control(sequenceNumber, area, duration: frame.duration))
            sequenceNumber += 1
            let data = try compressor.compress(try bitmap.part(area), layout)
            if previous == nil {
                writer.append(.imageData, [], data)
            } else {
                var head: [UInt8] = []
                head.append(bigEndian: sequenceNumber)
                writer.append(.frameData, head, data)
                sequenceNumber += 1
            }
            previous = bitmap
        }
        writer.append(.imageEnd)
        return writer.data
    }
}

extension PNGFrame {
    /// The payload of fcTL for a frame that stays and replaces what is there (PNG, 11.3.6.2).
    fileprivate static func control(_ sequenceNumber: UInt32, _ area: PixelRect, duration: Int) -> [UInt8] {
        var payload: [UInt8] = []
        payload.append(bigEndian: sequenceNumber)
        for number in [area.size.width, area.size.height, area.origin.x, area.origin.y] {
            payload.append(bigEndian: UInt32(truncatingIfNeeded: number))
        }
        let (numerator, denominator) = fraction(milliseconds: max(0, duration))
        payload.append(bigEndian: UInt16(clamping: numerator))
        payload.append(bigEndian: UInt16(denominator))
        return payload + [0, 0]
    }

    private static func fraction(milliseconds: Int) -> (numerator: Int, denominator: Int) {
        if milliseconds <= 0xFFFF {
            return (milliseconds, 1000)
        }
        return milliseconds <= 655_350 ? ((milliseconds + 5) / 10, 100) : (milliseconds / 1000, 1)
    }
}
