internal import CPNGKernels
internal import HalcyonRaster

/// Where the frames of an animation are put together: it undoes each frame as that frame asked, before the next comes.
struct AnimationCanvas {
    /// What happens to a frame's rectangle before the next frame is drawn.
    enum Disposal {
        case keep
        case clear
        /// Back to what was there before the frame.
        case restore
    }

    /// A part of the canvas; never reaches beyond it.
    struct Area {
        let left: Int
        let top: Int
        let width: Int
        let height: Int

        /// The part of a rectangle that lies on a canvas of this size; may be empty.
        init(left: Int, top: Int, size: PixelSize, within canvas: PixelSize) {
            self.left = min(max(left, 0), canvas.width)
            self.top = min(max(top, 0), canvas.height)
            width = max(0, min(size.width, canvas.width - self.left))
            height = max(0, min(size.height, canvas.height - self.top))
        }
    }

    private(set) var bitmap: Bitmap
    private var pending: (area: Area, disposal: Disposal)?
    private var saved: Bitmap?

    /// A transparent canvas.
    init(size: PixelSize) throws(BitmapError) {
        bitmap = try Bitmap(size: size)
    }

    /// Undoes the frame before, and remembers how this one is to be undone.
    mutating func beginFrame(_ area: Area, disposal: Disposal) {
        if let pending {
            switch pending.disposal {
            case .keep:
                break
            case .clear:
                clear(pending.area)
            case .restore:
                if let saved {
                    bitmap = saved
                }
            }
        }
        // A copy shares its memory until the frame is drawn, which then copies the canvas once.
        saved = disposal == .restore ? bitmap : nil
        pending = (area, disposal)
    }

    /// Hands each row of an area, as a pointer to its first pixel, to `draw` with its number from the area's top.
    ///
    /// Raw pointers, because this is the innermost loop of drawing frames; an ``Area`` never reaches beyond the canvas.
    mutating func drawRows(_ area: Area, _ draw: (UnsafeMutablePointer<UInt8>, Int) throws -> Void) rethrows {
        let bytesPerRow = bitmap.bytesPerRow
        try bitmap.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), area.width > 0 else {
                return
            }
            for row in 0..<area.height {
                try draw(start + (area.top + row) * bytesPerRow + 4 * area.left, row)
            }
        }
    }

    /// The canvas as it stands, which says truly whether it is opaque.
    func snapshot() -> Bitmap {
        var copy = bitmap
        copy.isOpaque = bitmap.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
                return false
            }
            return (0..<bitmap.height).allSatisfy { row in
                halcyon_png_is_opaque(start + row * bitmap.bytesPerRow, bitmap.width)
            }
        }
        return copy
    }

    private mutating func clear(_ area: Area) {
        drawRows(area) { row, _ in
            row.update(repeating: 0, count: 4 * area.width)
        }
    }
}
