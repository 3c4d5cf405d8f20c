public import Halcyon

/// What Halcyon does for one slot of a widget: loads images and shows them.
///
/// ```swift
/// let display = ImageDisplay(gtk_picture_new()!)
/// display.setImage(with: url, placeholder: thumbnail, options: [.transition(.fade(0.25))])
/// ```
///
/// Each call that sets an image supersedes the one before; nothing of an earlier call is shown after a later one. All
/// of this belongs to the widget and ends with it. A display is a mere name of a slot: it keeps no widget alive, and is
/// used only while the program knows that the widget exists.
@MainActor
public struct ImageDisplay {
    /// The completion handler of a call: the response, or an ``ImageError``, ``DisplayError`` or `CancellationError`.
    public typealias Completion = @MainActor (Result<ImageResponse, any Error>) -> Void

    let object: UnsafeMutableRawPointer
    /// The slot. Default: ``WidgetSlot/image``.
    public let slot: WidgetSlot

    /// The slot of an object.
    ///
    /// - Parameters:
    ///   - object: A `GtkWidget *`, or another `GObject *`.
    ///   - slot: Default: ``WidgetSlot/image``.
    public init(_ object: UnsafeMutableRawPointer, slot: WidgetSlot = .image) {
        self.object = object
        self.slot = slot
    }

    /// The slot of an object whose type Swift knows as a structure of C.
    public init<Object>(_ object: UnsafeMutablePointer<Object>, slot: WidgetSlot = .image) {
        self.init(UnsafeMutableRawPointer(object), slot: slot)
    }

    /// The slot of an object whose type Swift knows no structure of.
    public init(_ object: OpaquePointer, slot: WidgetSlot = .image) {
        self.init(UnsafeMutableRawPointer(object), slot: slot)
    }

    /// Another slot of the same widget.
    public subscript(slot: WidgetSlot) -> ImageDisplay { ImageDisplay(object, slot: slot) }

    /// Loads an image and shows it.
    ///
    /// A call for what the last one asked for begins nothing anew: the same source and options in the same pipeline,
    /// whatever the placeholder and the handlers. If the image is shown, the call completes at once; if it is being loaded,
    /// the handlers of this call take the place of the earlier ones, and that call completes with
    /// ``DisplayError/superseded(_:)``; if the load has failed, the call completes with the same error, until
    /// ``retry(completion:)``, the return of the network, or the end of what the pipeline remembers of the failure
    /// (``FailureMemory``). A call whose options look into no cache, as with ``ImageOption/forceRefresh``, and one for a local
    /// file, which may have changed, begin anew once the one before has ended.
    ///
    /// What is shown of the same image at another size stays until the image is there. One that memory has at a smaller
    /// size, as of a smaller widget, is shown until then in the place of the placeholder.
    ///
    /// - Parameters:
    ///   - request: The source and the options; `nil`: the placeholder alone is shown.
    ///   - placeholder: Shown until the image is; see also ``ImageOption/delayPlaceholder`` and
    ///     ``ImageOption/keepCurrentImageWhileLoading``. Default: nothing.
    ///   - pipeline: Loads the image. Default: ``ImagePipeline/shared``.
    ///   - progress: Called as bytes arrive, until the call is superseded. Default: `nil`.
    ///   - completion: Called exactly once, on the main actor: after the image is shown and its transition has ended,
    ///     after the failure, when the call is superseded or cancelled, or soon after the widget has ended or has left its
    ///     window, with ``DisplayError/superseded(_:)``; one that comes back shows the image all the same. An image in
    ///     memory is shown and completed before this returns, but for one of a local file, which is shown then, and completed
    ///     once the file was examined. The handler may set images, cancel, and destroy the widget. Where call after call of
    ///     the handler fails, or is for what is shown, it is called ever later, by at most a second.
    /// - Returns: The load; `nil` without a source, and if the object has no such slot.
    @_disfavoredOverload  // `setImage(with: nil)` is the function of a URL.
    @discardableResult
    public func setImage(
        with request: ImageRequest?,
        placeholder: (any Placeholder)? = nil,
        pipeline: ImagePipeline = .shared,
        progress: (@MainActor (ImageProgress) -> Void)? = nil,
        completion: Completion?
    ) -> DisplayTask? {
        setImage(
            with: request,
            placeholder: placeholder,
            pipeline: pipeline,
            progress: progress,
            completion: completion,
            startsAnew: false
        )
    }

    /// - Parameters:
    ///   - owner: See ``DisplayTask/owner``. Default: that of an equal call before.
    ///   - startsAnew: Whether the load begins anew also if the last call asked for the same.
    @discardableResult
    func setImage(
        with request: ImageRequest?,
        placeholder: (any Placeholder)?,
        pipeline: ImagePipeline,
        progress: (@MainActor (ImageProgress) -> Void)? = nil,
        completion: Completion? = nil,
        owner: DisplayTask.OwnerHandlers? = nil,
        startsAnew: Bool
    ) -> DisplayTask? {
        guard let controller = WidgetState.of(object).controller(for: slot) else {
            let error = DisplayError.unsupported(type: WidgetState.typeName(of: object), slot: slot)
            CallChain().callHandlers(hasFailed: true) {
                owner?.onEnd(.failure(error))
                completion?(.failure(error))
            }
            return nil
        }
        return controller.setImage(
            with: request,
            placeholder: placeholder,
            pipeline: pipeline,
            progress: progress,
            completion: completion,
            owner: owner,
            startsAnew: startsAnew
        )
    }

    /// Shows an image that is there already, which supersedes the load.
    ///
    /// - Parameters:
    ///   - image: `nil`: nothing is shown.
    ///   - transition: Default: ``ImageTransition/none``.
    public func show(_ image: DecodedImage?, transition: ImageTransition = .none) {
        WidgetState.of(object).controller(for: slot)?.show(image, transition: transition)
    }

    /// Cancels the load; what is shown stays.
    public func cancel() { controller?.cancel() }

    /// Cancels the loads of all slots of the widget.
    public func cancelAll() { WidgetState.existing(object)?.cancelAll() }

    /// The source and the options of the last call, as they were given; `nil` if there was none, or none with a source.
    ///
    /// Setting it is a call without a placeholder and handlers, in the pipeline of the last call with a source, or else in
    /// ``ImagePipeline/shared``. While an equal one is under way, it has no effect.
    public var request: ImageRequest? {
        get { task?.request }
        nonmutating set {
            let pipeline = controller?.pipeline ?? .shared
            if let newValue, let task, task.state != .finished,
                controller?.isAsked(for: newValue, in: pipeline) == true
            {
                return
            }
            setImage(with: newValue, pipeline: pipeline)
        }
    }

    /// Begins the last call anew, if it has failed or was cancelled; see ``DisplayTask/retry(completion:)``.
    @discardableResult
    public func retry(completion: Completion? = nil) -> DisplayTask? { task?.retry(completion: completion) }

    /// Gives the slot up: its load is superseded and goes on by itself if its policy says so, and the widget shows
    /// nothing of it.
    public func remove() { WidgetState.existing(object)?.remove(slot) }

    /// The indicator of later loads whose options, and those of their pipeline, name none. It belongs to the slot.
    /// Default: ``LoadIndicator/none``.
    public var indicator: LoadIndicator {
        get { controller?.indicator ?? .none }
        nonmutating set { WidgetState.of(object).controller(for: slot)?.indicator = newValue }
    }

    /// The load that was begun last, also after its end; `nil` if there is none.
    public var task: DisplayTask? { controller?.task }

    /// The image that is shown; `nil` if none is, or a placeholder.
    public var image: DecodedImage? { controller?.shownImage }

    /// What is shown.
    public var content: DisplayedContent { controller?.content.kind ?? .nothing }

    /// The player of the animated image that is shown; `nil` for a still image.
    public var player: AnimationPlayer? { controller?.player }

    private var controller: SlotController? { WidgetState.existing(object)?.existingController(for: slot) }
}
