/// The way in which an image takes the place of what was shown before it.
///
/// Nothing moves where the user has switched animations off (the setting `gtk-enable-animations`), nor in a widget
/// that is not on the screen.
public struct ImageTransition: Sendable, Hashable {
    /// The direction that a flip begins from.
    enum Edge: Sendable, Hashable {
        case left, right, top, bottom
    }

    enum Kind: Sendable, Hashable {
        case none
        case fade
        case flip(Edge)
        case custom(CustomTransition)
    }

    let kind: Kind
    /// The time from the beginning to the end.
    public let duration: Duration

    private init(_ kind: Kind, _ duration: Duration) {
        self.kind = kind
        self.duration = max(duration, .zero)
    }

    /// The image is there at once.
    public static let none = ImageTransition(.none, .zero)

    /// The image appears while what was shown before disappears; neither changes its place or size.
    ///
    /// - Parameter duration: Default: 250 ms.
    public static func fade(_ duration: Duration = .milliseconds(250)) -> ImageTransition {
        ImageTransition(.fade, duration)
    }

    /// The image appears while what was shown before disappears.
    ///
    /// - Parameter seconds: The duration.
    public static func fade(_ seconds: Double) -> ImageTransition { fade(.seconds(seconds)) }

    /// What was shown before turns about the vertical axis, its left edge to the front, until the image on its back is
    /// seen.
    public static func flipFromLeft(_ duration: Duration) -> ImageTransition { ImageTransition(.flip(.left), duration) }

    /// The same as ``flipFromLeft(_:)``, the right edge to the front.
    public static func flipFromRight(_ duration: Duration) -> ImageTransition {
        ImageTransition(.flip(.right), duration)
    }

    /// The same about the horizontal axis, the top edge to the front.
    public static func flipFromTop(_ duration: Duration) -> ImageTransition { ImageTransition(.flip(.top), duration) }

    /// The same about the horizontal axis, the bottom edge to the front.
    public static func flipFromBottom(_ duration: Duration) -> ImageTransition {
        ImageTransition(.flip(.bottom), duration)
    }

    /// A transition of the program's own. Equal to its copies alone.
    ///
    /// - Parameters:
    ///   - duration: The time from the beginning to the end.
    ///   - draw: Draws one moment of it; called for each frame while it lasts.
    public static func custom(
        _ duration: Duration,
        draw: @escaping @MainActor @Sendable (TransitionFrame) -> Void
    ) -> ImageTransition {
        ImageTransition(.custom(CustomTransition(draw)), duration)
    }

    /// A Boolean value that indicates whether there is anything to be seen of it.
    var isVisible: Bool { kind != .none && duration > .zero }
}

/// The drawing of a transition of the program's own, equal to itself alone.
final class CustomTransition: Sendable, Hashable {
    let draw: @MainActor @Sendable (TransitionFrame) -> Void

    init(_ draw: @escaping @MainActor @Sendable (TransitionFrame) -> Void) {
        self.draw = draw
    }

    static func == (left: CustomTransition, right: CustomTransition) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
