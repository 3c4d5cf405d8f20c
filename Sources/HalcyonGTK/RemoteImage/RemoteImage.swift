internal import CGTK
public import FoundationEssentials
internal import Glibc
public import Halcyon

/// A widget that loads an image and shows it, with a placeholder before, and with a button for another attempt after a
/// failure.
///
/// ```swift
/// var configuration = RemoteImage.Configuration()
/// configuration.placeholder = .spinner
/// configuration.accessibility = .label("A lighthouse at dusk")
/// let image = RemoteImage(url, options: [.transition(.fade())], configuration: configuration)
/// gtk_window_set_child(window, image.widget.assumingMemoryBound(to: GtkWidget.self))
/// ```
///
/// The load, its state and the closures of the configuration belong to the widget, and end with it. A program may drop
/// this object once the widget is in a container, and get another from ``init(widget:)``. A closure that needs this
/// object captures it weakly, as both would keep each other otherwise.
///
/// The load follows the visibility of the widget as ``LoadVisibility`` says; see ``ImageOption/visibility(_:)``. A load
/// that has failed begins again only with ``reload()`` or the retry button, unless
/// ``Configuration/restartsOnAppearance`` says otherwise.
@MainActor
public final class RemoteImage: ImageDisplaying {
    private let reference: ObjectReference

    private var controller: RemoteImageController { nonnull(RemoteImageController.existing(widget)) }

    /// A new widget.
    ///
    /// - Parameters:
    ///   - request: The source and the options; `nil`: the placeholder alone is shown. Default: `nil`.
    ///   - configuration: The widget's looks and callbacks. Default: ``Configuration/init()``.
    ///   - pipeline: Loads the image. Default: ``ImagePipeline/shared``.
    ///
    /// - Precondition: GTK has a display.
    public init(
        _ request: ImageRequest? = nil,
        configuration: Configuration = Configuration(),
        pipeline: ImagePipeline = .shared
    ) {
        precondition(gtk_init_check() != 0, "A widget is made only where GTK has a display")
        reference = RemoteImageController.makeWidget(request, configuration, pipeline)
        controller.begin()
    }

    /// A new widget with the image at a URL; see ``Source/url(_:cacheKey:)``.
    ///
    /// - Parameters:
    ///   - url: `nil`: the placeholder alone is shown.
    ///   - options: The changes to the options of the pipeline. Default: none.
    ///   - configuration: The widget's looks and callbacks. Default: ``Configuration/init()``.
    ///   - pipeline: Loads the image. Default: ``ImagePipeline/shared``.
    ///
    /// - Precondition: GTK has a display.
    public convenience init(
        _ url: URL?,
        options: [ImageOption] = [],
        configuration: Configuration = Configuration(),
        pipeline: ImagePipeline = .shared
    ) {
        self.init(url.map { ImageRequest($0, options: options) }, configuration: configuration, pipeline: pipeline)
    }

    /// The object of a widget that another one has made.
    ///
    /// - Parameter widget: A `GtkWidget *`; the result is `nil` if it is not the ``widget`` of a remote image.
    public init?(widget: UnsafeMutableRawPointer) {
        guard RemoteImageController.of(widget) != nil else { return nil }
        reference = ObjectReference(retaining: widget)
    }

    deinit {
        guard getpid() == cgtk_thread_id() else { return }
        // So that a container may take the widget of an object that has ended: `append(RemoteImage(url).widget)`.
        let reference = reference
        MainActor.assumeIsolated { onNextTurn { _ = reference } }
    }

    /// The `GtkWidget *`, to be put into a container. It exists for as long as a container has it, and until the next turn
    /// of the main loop after this object has ended.
    public var widget: UnsafeMutableRawPointer { reference.pointer }

    /// The `GtkPicture *` inside the widget that shows the image.
    public var displayPointer: UnsafeMutableRawPointer { controller.picture.pointer }

    /// The source and the options; `nil` for none.
    ///
    /// Another value supersedes the load and begins anew, unless the program has asked the picture for the same: then it takes
    /// that load over, or its result. An equal one has no effect.
    public var request: ImageRequest? {
        get { controller.request }
        set { controller.change(to: newValue?.source, newValue?.givenOptions ?? controller.options) }
    }

    /// The source; `nil` for none. Another value begins anew with the same options.
    public var source: Source? {
        get { controller.source }
        set { controller.change(to: newValue, controller.options) }
    }

    /// The changes to the options of the pipeline; none if the last ``request`` had exact options. Others begin anew with
    /// the same source.
    public var options: [ImageOption] {
        get { if case .changes(let changes) = controller.options { changes } else { [] } }
        set { controller.change(to: source, .changes(newValue)) }
    }

    /// The pipeline. Another one begins anew.
    public var pipeline: ImagePipeline {
        get { controller.pipeline }
        set { controller.change(to: newValue) }
    }

    /// The looks and callbacks. A change takes effect at once, and does not touch the load.
    public var configuration: Configuration {
        get { controller.configuration }
        set { controller.change(to: newValue) }
    }

    /// The state of the load.
    public var state: State { controller.state }

    /// The image that is shown; `nil` if none is.
    public var image: DecodedImage? { hc.image }

    /// The player of the animated image that is shown; `nil` for a still image.
    public var player: AnimationPlayer? { hc.player }

    /// Loads the image once more. Of no effect while it is being loaded, and without a source.
    public func reload() { controller.reload() }

    /// Cancels the load; what is shown stays. Of no effect unless the image is being loaded.
    public func cancel() { hc.cancel() }
}
