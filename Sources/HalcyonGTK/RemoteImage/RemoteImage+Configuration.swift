public import Halcyon

extension RemoteImage {
    /// The looks and the callbacks of a remote image. A value: a copy that is changed leaves the others as they were.
    public struct Configuration: Sendable {
        /// The child that is shown until the image is. It also gives the widget its size until then. Default:
        /// ``PlaceholderChild/none``.
        public var placeholder = PlaceholderChild.none
        /// The child that is shown if the load fails, over the image where that was kept, as by a reload. Default:
        /// ``FailureChild/retry(title:icon:)``.
        public var failure = FailureChild.retry()
        /// The way in which the image fills the widget. Default: ``ContentFit/contain``.
        public var contentFit = ContentFit.contain
        /// The place of an image that is narrower or wider than the widget. Default: ``Alignment/center``.
        public var horizontalAlignment = Alignment.center
        /// The place of an image that is lower or higher than the widget. Default: ``Alignment/center``.
        public var verticalAlignment = Alignment.center
        /// The width of the widget divided by its height while no image is shown, so that a layout does not move when
        /// the image arrives; `nil` for that of the placeholder. Default: `nil`.
        ///
        /// - Precondition: It is positive and finite.
        public var aspectRatio: Double? {
            didSet { precondition(aspectRatio.map { $0 > 0 && $0.isFinite } ?? true, "a ratio is positive and finite") }
        }
        /// The description of the image to assistive technologies. Default: ``Accessibility/unlabeled``.
        public var accessibility = Accessibility.unlabeled
        /// A Boolean value that indicates whether a load that has failed, or was cancelled, begins again when the widget
        /// is shown the next time, also by scrolling. Default: `false`.
        public var restartsOnAppearance = false
        /// Called as bytes arrive. Default: `nil`.
        public var onProgress: (@MainActor (ImageProgress) -> Void)?
        /// Called once the image is shown and its transition has ended, one turn of the main loop after the state has
        /// changed; not if another load has begun by then. Default: `nil`.
        public var onSuccess: (@MainActor (ImageResponse) -> Void)?
        /// Called once the load has failed, one turn of the main loop after the state has changed; not for loads that
        /// are cancelled, nor if another load has begun by then. Default: `nil`.
        public var onFailure: (@MainActor (any Error) -> Void)?
        var pictureActions: [WidgetAction] = []
        var contentAction: WidgetAction?

        /// The defaults.
        public init() {}
    }

    /// A closure of the program's for a widget, equal to itself alone.
    final class WidgetAction: Sendable {
        let body: @MainActor (UnsafeMutableRawPointer) -> Void

        init(_ body: @escaping @MainActor (UnsafeMutableRawPointer) -> Void) {
            self.body = body
        }
    }
}

extension RemoteImage.Configuration {
    /// Returns a copy that changes the `GtkPicture` inside the widget once, after those changes that it has already.
    ///
    /// - Parameter body: Called with the `GtkPicture *` when a widget gets the configuration.
    public func configuring(_ body: @escaping @MainActor (UnsafeMutableRawPointer) -> Void) -> Self {
        var copy = self
        copy.pictureActions.append(RemoteImage.WidgetAction(body))
        return copy
    }

    /// Returns a copy that changes the `GtkPicture` inside the widget for each image, in place of such a change that it
    /// has already.
    ///
    /// - Parameter body: Called with the `GtkPicture *` one turn of the main loop after an image was loaded, before
    ///   ``onSuccess``.
    public func configuringContent(_ body: @escaping @MainActor (UnsafeMutableRawPointer) -> Void) -> Self {
        var copy = self
        copy.contentAction = RemoteImage.WidgetAction(body)
        return copy
    }
}
