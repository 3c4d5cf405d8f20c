public import Halcyon

/// What is drawn over a place while its image is loaded.
public struct LoadIndicator: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case none
        case spinner
        case progressRing
        case image(IndicatorImage)
        case custom(CustomIndicator)
    }

    let kind: Kind

    /// Nothing.
    public static let none = LoadIndicator(kind: .none)

    /// An arc that turns, in the colour of the widget's text. Where the user has switched animations off, it stands
    /// still.
    public static let spinner = LoadIndicator(kind: .spinner)

    /// A ring that fills as bytes arrive; as ``spinner`` while their number is not known.
    public static let progressRing = LoadIndicator(kind: .progressRing)

    /// An image in the middle of the place, at its own size or smaller; an animated one plays. Equal to its copies alone.
    public static func image(_ image: DecodedImage) -> LoadIndicator {
        LoadIndicator(kind: .image(IndicatorImage(image)))
    }

    /// An indicator of the program's own. Equal to its copies alone.
    ///
    /// - Parameter draw: Draws one moment of it; called for each frame while the image is loaded.
    public static func custom(_ draw: @escaping @MainActor @Sendable (IndicatorFrame) -> Void) -> LoadIndicator {
        LoadIndicator(kind: .custom(CustomIndicator(draw)))
    }
}

/// The image of an indicator, equal to itself alone.
final class IndicatorImage: Sendable, Hashable {
    let image: DecodedImage

    init(_ image: DecodedImage) {
        self.image = image
    }

    static func == (left: IndicatorImage, right: IndicatorImage) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// The drawing of an indicator of the program's own, equal to itself alone.
final class CustomIndicator: Sendable, Hashable {
    let draw: @MainActor @Sendable (IndicatorFrame) -> Void

    init(_ draw: @escaping @MainActor @Sendable (IndicatorFrame) -> Void) {
        self.draw = draw
    }

    static func == (left: CustomIndicator, right: CustomIndicator) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
