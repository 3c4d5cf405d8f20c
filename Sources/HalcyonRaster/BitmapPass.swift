/// A scaling, a cutting out and any number of frames, in this order, which one pass over the pixels does: each row is
/// finished while it is in the processor's cache, and no pixel is made that is cut off later.
///
/// The result equals that of one operation after the other, to the last bit.
package struct BitmapPass: Sendable {
    private let sourceSize: PixelSize
    /// The size that the whole image is scaled to.
    private(set) var scaledSize: PixelSize
    /// The part of the scaled image that is left.
    private(set) var part: PixelRect
    private(set) var frames: [ImageFrame] = []

    /// Creates a pass that changes nothing.
    ///
    /// - Parameter size: That of the image.
    package init(over size: PixelSize) {
        sourceSize = size
        scaledSize = size
        part = PixelRect(size: size)
    }

    /// The size of the result.
    package var size: PixelSize { part.size }

    /// Adds a scaling with a Lanczos-3 filter; returns `false` where the pass does more than that already.
    package mutating func scale(to size: PixelSize) -> Bool {
        guard size != self.size else { return true }
        guard scaledSize == sourceSize, part.size == sourceSize, frames.isEmpty else { return false }
        scaledSize = size
        part = PixelRect(size: size)
        return true
    }

    /// Adds the cutting out of a part, which lies inside of the result so far; returns `false` where that has a frame.
    package mutating func crop(to rect: PixelRect) -> Bool {
        let rect = rect.intersection(PixelRect(size: size))
        guard rect.size != size else { return true }
        guard !rect.isEmpty, frames.isEmpty else { return false }
        part = PixelRect(
            origin: PixelPoint(part.origin.x + rect.origin.x, part.origin.y + rect.origin.y),
            size: rect.size
        )
        return true
    }

    /// Adds a frame.
    package mutating func add(_ frame: ImageFrame) {
        frames.append(frame)
    }

    /// Returns the painters of the frames that change anything, for an image of this depth.
    func painters(depth: SampleDepth, isOpaque: Bool) -> [FramePainter] {
        var painters: [FramePainter] = []
        for frame in frames {
            let isOpaque = painters.last?.isOpaque ?? isOpaque
            let painter = FramePainter(frame, size: size, depth: depth, isOpaque: isOpaque)
            if !painter.isIdentity { painters.append(painter) }
        }
        return painters
    }
}
