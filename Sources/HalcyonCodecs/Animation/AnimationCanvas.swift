internal import HalcyonRaster

/// The canvas on which the frames of an animation are combined: it undoes each frame as its disposal says, before the
/// next is drawn.
///
/// Every frame becomes a bitmap of its own, into which only what the frame leaves visible is copied from the one
/// before. Where the canvas is that one's only owner, as while frames are passed over, the frame is drawn right into
/// it.
struct AnimationCanvas {
    /// The way the rows of a frame are written.
    enum Drawing {
        /// Every pixel of the area is written; `isOpaque` indicates whether all of them are opaque.
        case replacing(isOpaque: Bool)
        /// Some pixels below remain visible.
        case over
    }

    let size: PixelSize
    /// The depth of the canvas, which every frame drawn must have.
    let depth: SampleDepth
    /// The canvas after the frame drawn last; `nil` before the first.
    private(set) var bitmap: Bitmap?
    private var below = Below.earlier(Ground())

    /// The ground of the next frame.
    private enum Below {
        case current(cleared: Area?)
        case earlier(Ground)
    }

    /// A canvas of transparent pixels.
    init(size: PixelSize, depth: SampleDepth = .eight) {
        self.size = size
        self.depth = depth
    }

    /// Forgets all frames.
    mutating func reset() {
        bitmap = nil
        below = .earlier(Ground())
    }

    /// Takes over a frame that replaces the whole canvas.
    mutating func replaceAll(with frame: Bitmap, disposal: FrameDescription.Disposal) {
        let ground = takeGround()
        bitmap = frame
        below = Self.below(Area(left: 0, top: 0, size: size, within: size), disposal, ground)
    }

    /// Undoes the frame before and draws this one: each row of `area`, as a pointer to its first pixel, is handed to
    /// `draw` with its number from the area's top.
    ///
    /// Raw pointers, because this is the innermost loop of drawing frames; an ``Area`` never reaches beyond the canvas.
    ///
    /// - Throws: ``BitmapError/outOfMemory(byteCount:)``, after which the canvas is as in the beginning.
    mutating func drawFrame(
        _ area: Area,
        _ drawing: Drawing,
        disposal: FrameDescription.Disposal,
        draw: (UnsafeMutablePointer<UInt8>, Int) -> Void
    ) throws(BitmapError) {
        var ground = takeGround()
        // Exact as far as it is known: `false` may stand for a canvas whose pixels were not looked at.
        let isOpaqueBelow = ground.isOpaque
        var result: Bitmap
        if disposal != .restore, let owned = ground.takeBitmap() {
            result = owned
        } else {
            result = try ground.copy(size: size, depth: depth, without: drawing.replaces ? area : nil)
        }
        result.forEachRow(of: area, draw)
        result.isOpaque =
            switch drawing {
            case .replacing(isOpaque: true): area.covers(size) || isOpaqueBelow
            case .replacing(isOpaque: false): false
            case .over: isOpaqueBelow
            }
        bitmap = result
        below = Self.below(area, disposal, ground)
    }

    /// Finds out whether the canvas is opaque where that is not known: frames that are only passed over need not be
    /// looked through, which would take a pass over the canvas for each, however small they are.
    mutating func findOpacity() {
        guard let isOpaque = bitmap?.isOpaque, !isOpaque, bitmap?.containsTransparency() == false else {
            return
        }
        bitmap?.isOpaque = true
    }

    /// Returns the ground of the next frame, which the canvas holds no longer.
    private mutating func takeGround() -> Ground {
        defer { reset() }
        switch below {
        case .current(let cleared): return Ground(bitmap: bitmap, cleared: cleared)
        case .earlier(let ground): return ground
        }
    }

    private static func below(_ area: Area, _ disposal: FrameDescription.Disposal, _ ground: Ground) -> Below {
        switch disposal {
        case .keep: .current(cleared: nil)
        case .clear: .current(cleared: area)
        case .restore: .earlier(ground)
        }
    }
}

extension AnimationCanvas.Drawing {
    fileprivate var replaces: Bool {
        if case .replacing = self { true } else { false }
    }
}
