public import Halcyon

// Each option is a key of its own, so that a pipeline's defaults fill those that a request leaves open.

enum TransitionKey: DisplayOptionKey {
    static let defaultValue = ImageTransition.none
}

enum ForcesTransitionKey: DisplayOptionKey {
    static let defaultValue = false
}

enum RestrictsTransitionKey: DisplayOptionKey {
    static let defaultValue = false
}

enum WaitsForDiskKey: DisplayOptionKey {
    static let defaultValue = false
}

enum IndicatorKey: DisplayOptionKey {
    static let defaultValue = LoadIndicator.none
}

enum KeepsCurrentImageKey: DisplayOptionKey {
    static let defaultValue = false
}

enum DelaysPlaceholderKey: DisplayOptionKey {
    static let defaultValue = false
}

enum FailureDisplayKey: DisplayOptionKey {
    static let defaultValue = FailureDisplay.unchanged
}

enum ImageSettingKey: DisplayOptionKey {
    static let defaultValue = ImageSetting.automatic
}

enum SupersededPolicyKey: DisplayOptionKey {
    static let defaultValue = SupersededPolicy.cancel
}

enum LoadVisibilityKey: DisplayOptionKey {
    static let defaultValue = LoadVisibility.whileMapped
}

enum DisplaySizingKey: DisplayOptionKey {
    static let defaultValue = DisplaySizing.widget
}

enum PlaybackKey: DisplayOptionKey {
    static let defaultValue = AnimationPlayback()
}

extension ImageOption {
    /// Shows the image through a transition, unless it came from memory. Default: ``ImageTransition/none``.
    public static func transition(_ transition: ImageTransition) -> ImageOption {
        .display(transition, for: TransitionKey.self)
    }

    /// Shows the image through the transition wherever it came from.
    public static var forceTransition: ImageOption { .display(true, for: ForcesTransitionKey.self) }

    /// Shows the image through the transition only if it came from a server now. Default: unless it came from memory.
    public static var transitionOnlyFromNetwork: ImageOption { .display(true, for: RestrictsTransitionKey.self) }

    /// Shows an image on disk, or in a local file, in the next frame: the main thread waits until it is read and decoded,
    /// for 8 ms at most between two frames, in which all widgets of a window share, and all that is in no window that is shown.
    /// What takes longer is loaded as usual.
    public static var loadDiskFileSynchronously: ImageOption { .display(true, for: WaitsForDiskKey.self) }

    /// Draws an indicator while the image is loaded. Default: that of the slot (``ImageDisplay/indicator``).
    public static func indicator(_ indicator: LoadIndicator) -> ImageOption {
        .display(indicator, for: IndicatorKey.self)
    }

    /// Leaves what is shown in its place until the image is there, or the load has failed; the placeholder is shown
    /// only where there is nothing. Default: the placeholder, or nothing, takes its place at once.
    public static var keepCurrentImageWhileLoading: ImageOption { .display(true, for: KeepsCurrentImageKey.self) }

    /// Shows the placeholder only if no image comes, through the transition, and nothing until then. Default: while the
    /// image is loaded.
    public static var delayPlaceholder: ImageOption { .display(true, for: DelaysPlaceholderKey.self) }

    /// Shows this image if the load fails. Default: the placeholder stays.
    public static func failureImage(_ image: DecodedImage) -> ImageOption {
        .display(.image(FailureImage(image)), for: FailureDisplayKey.self)
    }

    /// Shows nothing if the load fails. Default: the placeholder stays.
    public static var clearOnFailure: ImageOption { .display(.nothing, for: FailureDisplayKey.self) }

    /// Says who shows the image: Halcyon or the program. Default: ``ImageSetting/automatic``.
    public static func setting(_ setting: ImageSetting) -> ImageOption {
        .display(setting, for: ImageSettingKey.self)
    }

    /// Says what becomes of a load whose place is given another one. Default: it is cancelled.
    public static func superseded(_ policy: SupersededPolicy) -> ImageOption {
        .display(policy, for: SupersededPolicyKey.self)
    }

    /// Says how the load follows the visibility of the widget. Default: ``LoadVisibility/whileMapped``.
    public static func visibility(_ visibility: LoadVisibility) -> ImageOption {
        .display(visibility, for: LoadVisibilityKey.self)
    }

    /// Says at which size the image is decoded, unless a target size is given. Default: ``DisplaySizing/widget``.
    public static func sizing(_ sizing: DisplaySizing) -> ImageOption {
        .display(sizing, for: DisplaySizingKey.self)
    }

    /// Says how an animated image is played. Default: by itself, as its file says.
    public static func playback(_ playback: AnimationPlayback) -> ImageOption {
        .display(playback, for: PlaybackKey.self)
    }
}
