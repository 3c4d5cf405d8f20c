internal import HalcyonRaster

/// Where the frames of an animation are put together: it undoes each frame as that frame asked, before the next comes.
///
/// Every frame becomes a bitmap of its own, into which only what the frame leaves visible is copied from the one before.
/// Where nobody else holds that one, as while frames are passed over, the frame is drawn right into it.
struct AnimationCanvas {
    /// What happens to a frame's rectangle before the next frame is drawn.
    enum Disposal {
        case keep
        case clear
        /// Back to what was there before the frame.
        case restore
    }

    /// How the pixels of a frame meet those below.
    enum Drawing {
        /// Every pixel of the area is written; whether all of them are opaque is said.
        case replacing(isOpaque: Bool)
        /// Pixels below remain visible here and there.
        case over
    }

    let size: PixelSize
    /// That of the canvas, which every frame drawn must have.
    let depth: SampleDepth
    /// The canvas after the frame drawn last; `nil` before the first.
    private(set) var picture: Bitmap?
    private var below = Below.earlier(Ground())

    /// Whether the ground of the next frame is the current picture or an earlier one.
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
        picture = nil
        below = .earlier(Ground())
    }

    /// Takes over a frame that replaces the whole canvas.
    mutating func replaceAll(with bitmap: Bitmap, disposal: Disposal) {
        let ground = takeGround()
        picture = bitmap
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
        disposal: Disposal,
        draw: (UnsafeMutablePointer<UInt8>, Int) -> Void
    ) throws(BitmapError) {
        var ground = takeGround()
        let isOpaqueBelow = ground.isOpaque
        var bitmap: Bitmap
        if disposal != .restore, let owned = ground.takePicture() {
            bitmap = owned
        } else {
            bitmap = try ground.copy(size: size, depth: depth, without: drawing.replaces ? area : nil)
        }
        bitmap.forEachRow(of: area, draw)
        bitmap.isOpaque =
            switch drawing {
            case .replacing(isOpaque: true) where area.covers(size): true
            case .replacing(isOpaque: true) where isOpaqueBelow: true
            case .over where isOpaqueBelow: true
            default: !bitmap.containsTransparency()
            }
        picture = bitmap
        below = Self.below(area, disposal, ground)
    }

    /// What the next frame is drawn on; the canvas holds it no longer.
    private mutating func takeGround() -> Ground {
        defer { reset() }
        switch below {
        case .current(let cleared): return Ground(picture: picture, cleared: cleared)
        case .earlier(let ground): return ground
        }
    }

    private static func below(_ area: Area, _ disposal: Disposal, _ ground: Ground) -> Below {
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
