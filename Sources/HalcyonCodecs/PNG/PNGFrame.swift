internal import HalcyonRaster

/// One frame of an animated PNG: its fcTL chunk (PNG, 11.3.6.2) and where its data lie.
struct PNGFrame {
    let size: PixelSize
    let left: Int
    let top: Int
    /// Milliseconds, rounded.
    let duration: Int
    let disposal: FrameDescription.Disposal
    let blending: FrameDescription.Blending
    /// The compressed data, in pieces.
    var dataRanges: [Range<Int>] = []

    /// Reads the 26 bytes of the chunk; `nil` where they make no frame within a canvas of this size.
    init?(_ payload: UnsafeRawBufferPointer, canvas: PixelSize) {
        guard payload.count == 26,
            let disposal = FrameDescription.Disposal(png: payload[24]),
            let blending = FrameDescription.Blending(png: payload[25])
        else {
            return nil
        }
        let width = Int(payload.bigEndianUInt32(at: 4))
        let height = Int(payload.bigEndianUInt32(at: 8))
        left = Int(payload.bigEndianUInt32(at: 12))
        top = Int(payload.bigEndianUInt32(at: 16))
        guard width > 0, height > 0, left + width <= canvas.width, top + height <= canvas.height else {
            return nil
        }
        size = PixelSize(width, height)
        let numerator = Int(payload.bigEndianUInt16(at: 20))
        let denominator = Int(payload.bigEndianUInt16(at: 22))
        // A denominator of 0 means hundredths of a second.
        let divisor = denominator == 0 ? 100 : denominator
        duration = (numerator * 1000 + divisor / 2) / divisor
        self.disposal = disposal
        self.blending = blending
    }

    /// Returns whether the frame is all of a canvas of this size.
    func covers(_ canvas: PixelSize) -> Bool {
        left == 0 && top == 0 && size == canvas
    }
}

extension FrameDescription.Disposal {
    /// The values of dispose_op (PNG, 11.3.6.2).
    fileprivate init?(png value: UInt8) {
        switch value {
        case 0: self = .keep
        case 1: self = .clear
        case 2: self = .restore
        default: return nil
        }
    }
}

extension FrameDescription.Blending {
    /// The values of blend_op (PNG, 11.3.6.2).
    fileprivate init?(png value: UInt8) {
        switch value {
        case 0: self = .source
        case 1: self = .over
        default: return nil
        }
    }
}
