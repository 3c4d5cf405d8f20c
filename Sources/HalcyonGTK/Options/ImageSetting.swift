#if GTK
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

    /// Nothing is shown; the completion handler gets the image. The placeholder is shown, too, only if no image comes
    /// and it is delayed.
    public static let manual = ImageSetting(kind: .manual)

    /// The program shows it, and may take its time: the completion handler is called after that. Equal to its copies
    /// alone.
    ///
    /// - Parameter set: Shows the image. The task is cancelled if the place is given another load meanwhile.
    public static func custom(_ set: @escaping @MainActor @Sendable (ImageResponse) async -> Void) -> ImageSetting {
        ImageSetting(kind: .custom(CustomSetting(set)))
    }
}

/// A setting of the program's own, equal to itself alone.
final class CustomSetting: Sendable, Hashable {
    let set: @MainActor @Sendable (ImageResponse) async -> Void

    init(_ set: @escaping @MainActor @Sendable (ImageResponse) async -> Void) {
        self.set = set
    }

    static func == (left: CustomSetting, right: CustomSetting) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
#endif
