#if GTK
internal import Halcyon

/// The number of pixels that a place has for an image; 0 for a direction in which the image decides.
struct SizeDemand: Equatable {
    var width: Int
    var height: Int

    /// Returns whether an image that was made for another demand has too few pixels for this one.
    func exceeds(_ other: SizeDemand) -> Bool { width > other.width || height > other.height }
}

/// The loading of the image that is shown at a larger size.
struct Enlargement {
    let size: SizeDemand
    var task: ImageTask?
}
#endif
