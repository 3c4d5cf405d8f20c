public import Halcyon

extension RemoteImage {
    /// The state of the load of a remote image.
    public enum State: Sendable {
        /// There is no source.
        case empty
        /// The image is being loaded, or its load waits until the widget is shown. The bytes so far.
        case loading(ImageProgress)
        /// The image is shown, though its transition may be under way.
        case loaded(ImageResponse)
        /// The load has failed, with an ``ImageError`` or a ``DisplayError``.
        case failed(any Error)
        /// The program has cancelled the load, or shows another image in its place.
        case cancelled
    }
}

extension RemoteImage.State {
    /// A Boolean value that indicates whether the image is being loaded, or its load waits until the widget is shown.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }
}
