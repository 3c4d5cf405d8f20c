public import Halcyon

/// Who shows the image of a load.
public struct ImageSetting: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case automatic
        case manual
        case custom(CustomSetting)
    }

    let kind: Kind

    /// Halcyon shows it.
    public static let automatic = ImageSetting(kind: .automatic)

    /// The image is not shown; the completion handler gets it. The placeholder, the indicator and the image for a
    /// failure are shown as for other loads, previews are not.
    public static let manual = ImageSetting(kind: .manual)

    /// The program shows it, and may take its time: the completion handler is called after that. Equal to its copies
    /// alone. It is let go of soon after the widget has left its window; then the program sets the image anew where the
    /// widget comes back.
    ///
    /// - Parameter set: Shows the image. The task is cancelled if the place is given another load meanwhile.
    public static func custom(_ set: @escaping @MainActor @Sendable (ImageResponse) async -> Void) -> ImageSetting {
        ImageSetting(kind: .custom(CustomSetting(placeholder: nil, set)))
    }

    /// The program shows the image and the placeholder, and may take its time: the completion handler is called after
    /// both. Equal to its copies alone.
    ///
    /// The tasks are cancelled if the place is given another load meanwhile.
    ///
    /// - Parameters:
    ///   - placeholder: Shows the placeholder; called with `nil` where there is none.
    ///   - image: Shows the image, once the placeholder is shown.
    public static func custom(
        placeholder: @escaping @MainActor @Sendable (Paintable?) async -> Void,
        image: @escaping @MainActor @Sendable (ImageResponse) async -> Void
    ) -> ImageSetting {
        ImageSetting(kind: .custom(CustomSetting(placeholder: placeholder, image)))
    }
}

/// A setting of the program's own, equal to itself alone.
final class CustomSetting: Sendable, Hashable {
    let placeholder: (@MainActor @Sendable (Paintable?) async -> Void)?
    let set: @MainActor @Sendable (ImageResponse) async -> Void

    init(
        placeholder: (@MainActor @Sendable (Paintable?) async -> Void)?,
        _ set: @escaping @MainActor @Sendable (ImageResponse) async -> Void
    ) {
        self.placeholder = placeholder
        self.set = set
    }

    static func == (left: CustomSetting, right: CustomSetting) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
