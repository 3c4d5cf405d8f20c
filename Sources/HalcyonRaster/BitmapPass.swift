/// A scaling, a cutting out, and any number of frames and changes of colours, in this order, which one pass over the
/// pixels does: each row is finished while it is in the processor's cache, and no pixel is made that is cut off later.
///
/// The result equals that of one operation after the other, to the last bit.
package struct BitmapPass: Sendable {
    /// What is done to each row once it is made.
    enum Finish: Sendable {
        case frame(ImageFrame)
        case colors(ColorChange)
    }

    /// The longest row whose colours change in a shared pass, which asks once a row whether it is cancelled. The slowest
    /// change takes less than 1 ms for it.
    private static let longestColoredRow = 65_536

    private let sourceSize: PixelSize
    /// The size that the whole image is scaled to.
    private(set) var scaledSize: PixelSize
    /// The part of the scaled image that is left.
    private(set) var part: PixelRect
    /// In their order.
    private(set) var finishes: [Finish] = []

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
        guard scaledSize == sourceSize, part.size == sourceSize, finishes.isEmpty else { return false }
        scaledSize = size
        part = PixelRect(size: size)
        return true
    }

    /// Adds the cutting out of a part, which lies inside of the result so far; returns `false` where that has a frame.
    /// Changes of colours are the same before and after it.
    package mutating func crop(to rect: PixelRect) -> Bool {
        let rect = rect.intersection(PixelRect(size: size))
        guard rect.size != size else { return true }
        guard !rect.isEmpty, finishes.allSatisfy(\.isOfColors) else { return false }
        part = PixelRect(
            origin: PixelPoint(part.origin.x + rect.origin.x, part.origin.y + rect.origin.y),
            size: rect.size
        )
        return true
    }

    /// Adds a frame.
    package mutating func add(_ frame: ImageFrame) {
        finishes.append(.frame(frame))
    }

    /// Adds a change of colours; returns `false` where rows are too long for it.
    package mutating func add(_ change: ColorChange) -> Bool {
        guard size.width <= Self.longestColoredRow else { return false }
        finishes.append(.colors(change))
        return true
    }

    /// Returns the painters of what changes anything, for an image of this depth.
    ///
    /// - Throws: ``BitmapError/outOfMemory(byteCount:)``.
    func painters(depth: SampleDepth, isOpaque: Bool) throws(BitmapError) -> [RowPainter] {
        var painters: [RowPainter] = []
        for finish in finishes {
            let isOpaque = painters.last?.isOpaque ?? isOpaque
            let painter = try RowPainter(finish, size: size, depth: depth, isOpaque: isOpaque)
            if !painter.isIdentity { painters.append(painter) }
        }
        return painters
    }
}

extension BitmapPass.Finish {
    /// A Boolean value that indicates whether each pixel is made of that pixel alone, wherever it is.
    fileprivate var isOfColors: Bool { if case .colors = self { true } else { false } }
}
