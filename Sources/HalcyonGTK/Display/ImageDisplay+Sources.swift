#if GTK
public import FoundationEssentials
public import Halcyon

// A closure that follows a call is its completion handler: functions that leave that out take no closure at all.

extension ImageDisplay {
    /// Loads an image and shows it; see ``setImage(with:placeholder:pipeline:progress:completion:)``.
    ///
    /// - Parameter request: The source and the options; `nil`: the placeholder alone is shown.
    @_disfavoredOverload  // `setImage(with: nil)` is the function of a URL.
    @discardableResult
    public func setImage(
        with request: ImageRequest?,
        placeholder: (any Placeholder)? = nil,
        pipeline: ImagePipeline = .shared
    ) -> DisplayTask? {
        setImage(with: request, placeholder: placeholder, pipeline: pipeline, completion: nil)
    }

    /// Loads the image at a URL and shows it; see ``setImage(with:placeholder:pipeline:progress:completion:)``.
    ///
    /// - Parameters:
    ///   - url: The URL, see ``Source/url(_:cacheKey:)``; `nil`: the placeholder alone is shown.
    ///   - options: Default: every field is left open.
    @discardableResult
    public func setImage(
        with url: URL?,
        placeholder: (any Placeholder)? = nil,
        options: ImageOptions = ImageOptions(),
        pipeline: ImagePipeline = .shared,
        progress: (@MainActor (ImageProgress) -> Void)? = nil,
        completion: Completion?
    ) -> DisplayTask? {
        setImage(
            with: url.map { ImageRequest($0, options: options) },
            placeholder: placeholder,
            pipeline: pipeline,
            progress: progress,
            completion: completion
        )
    }

    /// Loads the image at a URL and shows it; see ``setImage(with:placeholder:pipeline:progress:completion:)``.
    ///
    /// - Parameters:
    ///   - url: The URL, see ``Source/url(_:cacheKey:)``; `nil`: the placeholder alone is shown.
    ///   - options: Default: every field is left open.
    @discardableResult
    public func setImage(
        with url: URL?,
        placeholder: (any Placeholder)? = nil,
        options: ImageOptions = ImageOptions(),
        pipeline: ImagePipeline = .shared
    ) -> DisplayTask? {
        setImage(with: url, placeholder: placeholder, options: options, pipeline: pipeline, completion: nil)
    }

    /// Loads the image of a source, such as ``Source/provider(_:)``, and shows it; see
    /// ``setImage(with:placeholder:pipeline:progress:completion:)``.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - options: Default: every field is left open.
    @discardableResult
    public func setImage(
        with source: Source,
        placeholder: (any Placeholder)? = nil,
        options: ImageOptions = ImageOptions(),
        pipeline: ImagePipeline = .shared,
        progress: (@MainActor (ImageProgress) -> Void)? = nil,
        completion: Completion?
    ) -> DisplayTask? {
        setImage(
            with: ImageRequest(source, options: options),
            placeholder: placeholder,
            pipeline: pipeline,
            progress: progress,
            completion: completion
        )
    }

    /// Loads the image of a source, such as ``Source/provider(_:)``, and shows it; see
    /// ``setImage(with:placeholder:pipeline:progress:completion:)``.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - options: Default: every field is left open.
    @discardableResult
    public func setImage(
        with source: Source,
        placeholder: (any Placeholder)? = nil,
        options: ImageOptions = ImageOptions(),
        pipeline: ImagePipeline = .shared
    ) -> DisplayTask? {
        setImage(with: source, placeholder: placeholder, options: options, pipeline: pipeline, completion: nil)
    }

    /// Loads an image and shows it, and returns once a completion handler would be called; see
    /// ``setImage(with:placeholder:pipeline:progress:completion:)``.
    ///
    /// Cancelling the calling task cancels the load, which no other call of the slot has superseded.
    ///
    /// - Throws: ``ImageError``, ``DisplayError``, `CancellationError`.
    @discardableResult
    public func showImage(
        with request: ImageRequest,
        placeholder: (any Placeholder)? = nil,
        pipeline: ImagePipeline = .shared,
        progress: (@MainActor (ImageProgress) -> Void)? = nil
    ) async throws -> ImageResponse {
        try Task.checkCancellation()
        let load = AwaitedLoad()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                load.task = setImage(
                    with: request,
                    placeholder: placeholder,
                    pipeline: pipeline,
                    progress: progress,
                    completion: { continuation.resume(with: $0) }
                )
                if load.isCancelled { load.task?.cancel() }
            }
        } onCancel: {
            Task { @MainActor in load.cancel() }
        }
    }
}

/// A load whose end a task of the program awaits.
@MainActor
private final class AwaitedLoad {
    var task: DisplayTask?
    private(set) var isCancelled = false

    func cancel() {
        isCancelled = true
        task?.cancel()
    }
}
#endif
