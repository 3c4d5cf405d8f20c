#if GTK
public import Halcyon

// Each option is a key of its own, so that a pipeline's defaults fill those that a request leaves open.

enum TransitionKey: ImageOptionKey {
    static let defaultValue = ImageTransition.none
}

enum ForcesTransitionKey: ImageOptionKey {
    static let defaultValue = false
}

enum IndicatorKey: ImageOptionKey {
    static let defaultValue = LoadIndicator.none
}

enum KeepsCurrentImageKey: ImageOptionKey {
    static let defaultValue = false
}

enum DelaysPlaceholderKey: ImageOptionKey {
    static let defaultValue = false
}

enum FailureDisplayKey: ImageOptionKey {
    static let defaultValue = FailureDisplay.unchanged
}

enum ImageSettingKey: ImageOptionKey {
    static let defaultValue = ImageSetting.automatic
}

enum SupersededPolicyKey: ImageOptionKey {
    static let defaultValue = ImageSlot.SupersededPolicy.cancel
}

enum LoadVisibilityKey: ImageOptionKey {
    static let defaultValue = LoadVisibility.whileMapped
}

enum DisplaySizingKey: ImageOptionKey {
    static let defaultValue = DisplaySizing.widget
}

enum PlaybackKey: ImageOptionKey {
    static let defaultValue = AnimationPlayback()
}

extension ImageOption {
    /// Shows the image through a transition, unless it came from memory. Default: ``ImageTransition/none``.
    public static func transition(_ transition: ImageTransition) -> ImageOption {
        .value(transition, for: TransitionKey.self)
    }

    /// Shows the image through the transition also if it came from memory.
    public static var forceTransition: ImageOption { .value(true, for: ForcesTransitionKey.self) }

    /// Draws an indicator while the image is loaded. Default: ``LoadIndicator/none``.
    public static func indicator(_ indicator: LoadIndicator) -> ImageOption {
        .value(indicator, for: IndicatorKey.self)
    }

    /// Leaves what is shown in its place until the image is there, or the load has failed; the placeholder is shown
    /// only where there is nothing. Default: the placeholder, or nothing, takes its place at once.
    public static var keepCurrentImageWhileLoading: ImageOption { .value(true, for: KeepsCurrentImageKey.self) }

    /// Shows the placeholder only if no image comes. Default: while the image is loaded.
    public static var delayPlaceholder: ImageOption { .value(true, for: DelaysPlaceholderKey.self) }

    /// Shows this image if the load fails. Default: the placeholder stays.
    public static func failureImage(_ image: DecodedImage) -> ImageOption {
        .value(.image(FailureImage(image)), for: FailureDisplayKey.self)
    }

    /// Shows nothing if the load fails. Default: the placeholder stays.
    public static var clearOnFailure: ImageOption { .value(.nothing, for: FailureDisplayKey.self) }

    /// Says who shows the image: Halcyon or the program. Default: ``ImageSetting/automatic``.
    public static func setting(_ setting: ImageSetting) -> ImageOption {
        .value(setting, for: ImageSettingKey.self)
    }

    /// Says what becomes of a load whose place is given another one. Default: it is cancelled.
    public static func superseded(_ policy: ImageSlot.SupersededPolicy) -> ImageOption {
        .value(policy, for: SupersededPolicyKey.self)
    }

    /// Says how the load follows the visibility of the widget. Default: ``LoadVisibility/whileMapped``.
    public static func visibility(_ visibility: LoadVisibility) -> ImageOption {
        .value(visibility, for: LoadVisibilityKey.self)
    }

    /// Says at which size the image is decoded, unless a target size is given. Default: ``DisplaySizing/widget``.
    public static func sizing(_ sizing: DisplaySizing) -> ImageOption {
        .value(sizing, for: DisplaySizingKey.self)
    }

    /// Says how an animated image is played. Default: by itself, as its file says.
    public static func playback(_ playback: AnimationPlayback) -> ImageOption {
        .value(playback, for: PlaybackKey.self)
    }
}
#endif
