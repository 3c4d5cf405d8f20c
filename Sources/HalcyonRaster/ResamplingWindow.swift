/// The part of a scaled image that is made, as large as the bitmap that it is made into.
struct ResamplingWindow {
    /// The size of the whole image, once scaled.
    let scaledSize: PixelSize
    /// The top left pixel of the part.
    var origin = PixelPoint.zero
    /// Called with each row of the result and its number, as soon as it is made.
    var finish: (UnsafeMutablePointer<UInt8>, Int) -> Void = { _, _ in }

    /// Returns the place in the scaled image of a part of the result.
    func origin(of tile: PixelRect) -> PixelPoint {
        PixelPoint(origin.x + tile.origin.x, origin.y + tile.origin.y)
    }
}
