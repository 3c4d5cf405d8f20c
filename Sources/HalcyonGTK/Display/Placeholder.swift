public import Halcyon

/// What is shown while an image is loaded, and may stay if the load fails.
@MainActor
public protocol Placeholder {
    /// Draws the placeholder; `nil` for nothing.
    var paintable: Paintable? { get }
}

extension DecodedImage: Placeholder {
    /// The image; an animated one plays.
    public var paintable: Paintable? { Paintable(self) }
}

extension Paintable: Placeholder {
    /// This paintable.
    public var paintable: Paintable? { self }
}
