internal import HalcyonRaster

/// Composes the frames of an animated PNG one after the other (PNG, 11.3.6.2).
struct PNGComposer {
    private let decoder: PNGPictureDecoder
    private var canvas: AnimationCanvas
    /// The number of the frame that comes next.
    private(set) var nextFrame = 0

    private var frames: [PNGFrame] { decoder.file.frames }

    /// A composer that stands before the first frame of an animation.
    init(_ decoder: PNGPictureDecoder) throws {
        self.decoder = decoder
        canvas = try AnimationCanvas(size: decoder.file.header.size)
    }

    /// The picture after `frame`, which must not lie behind the frame that comes next.
    mutating func picture(after frame: Int) throws -> Bitmap {
        nextFrame = max(nextFrame, firstFrameNeeded(for: frame))
        while nextFrame <= frame {
            try drawNextFrame()
        }
        return canvas.snapshot()
    }

    /// Bytes that the canvas, its saved state and the largest frame take together.
    static func memory(for file: PNGFile) -> Int {
        let canvas = file.header.size.bitmapByteCount.multipliedReportingOverflow(by: 2)
        let largest = file.frames.reduce(0) { largest, frame in
            max(largest, PNGPictureDecoder.memory(for: frame.size, ranges: frame.dataRanges, header: file.header))
        }
        let (sum, overflows) = canvas.partialValue.addingReportingOverflow(largest)
        return canvas.overflow || overflows ? .max : sum
    }

    /// Frames before one that replaces the whole canvas cannot be seen any more.
    private func firstFrameNeeded(for frame: Int) -> Int {
        let size = decoder.file.header.size
        let isFresh = { (index: Int) in
            let candidate = frames[index]
            return candidate.covers(size) && candidate.blending == .source
                && (index == frame || candidate.disposal != .previous)
        }
        return (0...frame).last(where: isFresh) ?? 0
    }

    private mutating func drawNextFrame() throws {
        let frame = frames[nextFrame]
        let picture = try decoder.decode(
            frame.dataRanges,
            size: frame.size,
            chunkName: nextFrame == 0 && decoder.file.imageIsFirstFrame ? "IDAT" : "fdAT of frame \(nextFrame)"
        )
        let area = AnimationCanvas.Area(
            left: frame.left,
            top: frame.top,
            size: frame.size,
            within: decoder.file.header.size
        )
        let disposal: AnimationCanvas.Disposal =
            switch frame.disposal {
            case .none: .keep
            case .background: .clear
            case .previous: .restore
            }
        canvas.beginFrame(area, disposal: disposal)
        picture.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
                return
            }
            canvas.drawRows(area) { row, number in
                let pixels = source + number * picture.bytesPerRow
                if frame.blending == .source || picture.isOpaque {
                    row.update(from: pixels, count: 4 * area.width)
                } else {
                    PNGComposer.blend(pixels, over: row, width: area.width)
                }
            }
        }
        nextFrame += 1
    }

    /// `source + target * (1 - alpha)` for premultiplied pixels, rounded to the nearest.
    private static func blend(
        _ source: UnsafePointer<UInt8>,
        over target: UnsafeMutablePointer<UInt8>,
        width: Int
    ) {
        for offset in stride(from: 0, to: 4 &* width, by: 4) {
            let transparency = 255 &- UInt32(source[offset &+ 3])
            if transparency == 255 {
                continue
            }
            for channel in 0..<4 {
                let below = UInt32(target[offset &+ channel]) &* transparency &+ 128
                let sum = UInt32(source[offset &+ channel]) &+ (below &+ below &>> 8) &>> 8
                target[offset &+ channel] = UInt8(truncatingIfNeeded: min(255, sum))
            }
        }
    }
}
