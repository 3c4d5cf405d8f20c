package import HalcyonRaster

/// A bound on the size of a decoded bitmap, to which a larger image is scaled down.
package struct BitmapLimit: Sendable, Hashable {
    /// The most bytes; `nil`: any number.
    package var byteCount: Int?
    /// The most pixels of a side; `nil`: any number.
    package var sideLength: Int?

    package init(byteCount: Int?, sideLength: Int?) {
        self.byteCount = byteCount
        self.sideLength = sideLength
    }

    /// Returns whether a bitmap of this size is within the bound.
    func allows(_ size: PixelSize, depth: SampleDepth) -> Bool {
        size.bitmapByteCount(depth: depth) <= byteCount ?? .max && max(size.width, size.height) <= sideLength ?? .max
    }

    /// Returns the largest size of about the same shape within the bound, each side at least 1; the size itself if it
    /// is within the bound.
    package func reduced(_ size: PixelSize, depth: SampleDepth) -> PixelSize {
        var size = size
        if let sideLength, max(size.width, size.height) > sideLength {
            let side = max(1, sideLength)
            size = size.fitting(in: PixelSize(side, side))
        }
        return byteCount.map { size.reduced(toByteCount: $0, depth: depth) } ?? size
    }
}
