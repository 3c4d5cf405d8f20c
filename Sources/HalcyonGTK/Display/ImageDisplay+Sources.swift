public import FoundationEssentials
public import Halcyon

// All are forms of `setImage(with:placeholder:pipeline:progress:completion:)`, whose documentation holds for each. A
// closure that follows a call is its completion handler: functions that leave that out take no closure at all.

extension ImageDisplay {
    /// Loads an image and shows it.
    ///
    /// - Parameters:
    ///   - request: The source and the options; `nil`: the placeholder alone is shown.
    ///   - placeholder: Shown until the image is. Default: nothing.
    ///   - pipeline: Loads the image. Default: ``ImagePipeline/shared``.
    @_disfavoredOverload  // `setImage(with: nil)` is the function of a URL.
    @discardableResult
    public func setImage(
        with request: ImageRequest?,
        placeholder: (any Placeholder)? = nil,
        pipeline: ImagePipeline = .shared
    ) -> DisplayTask? {
        setImage(with: request, placeholder: placeholder, pipeline: pipeline, completion: nil)
    }

    /// Loads the image at a URL and shows it.
    ///
    /// - Parameters:
    ///   - url: `nil`: the placeholder alone is shown.
    ///   - placeholder: Shown until the image is. Default: nothing.
    ///   - options: The changes to the options of the pipeline. Default: none.
    ///   - pipeline: Loads the image. Default: ``ImagePipeline/shared``.
    ///   - progress: Called as bytes arrive. Default: `nil`.
    ///   - completion: Called exactly once.
    @discardableResult
    public func setImage(
        with url: URL?,
        placeholder: (any Placeholder)? = nil,
        options: [ImageOption] = [],
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

    /// Loads the image at a URL and shows it.
    ///
    /// - Parameters:
    ///   - url: `nil`: the placeholder alone is shown.
    ///   - placeholder: Shown until the image is. Default: nothing.
    ///   - options: The changes to the options of the pipeline. Default: none.
    ///   - pipeline: Loads the image. Default: ``ImagePipeline/shared``.
    @discardableResult
    public func setImage(
        with url: URL?,
        placeholder: (any Placeholder)? = nil,
        options: [ImageOption] = [],
        pipeline: ImagePipeline = .shared
    ) -> DisplayTask? {
        setImage(with: url, placeholder: placeholder, options: options, pipeline: pipeline, completion: nil)
    }

    /// Loads the image of a source and shows it.
    ///
    /// - Parameters:
    ///   - source: A URL, a file, a provider, or another one.
    ///   - placeholder: Shown until the image is. Default: nothing.
    ///   - options: The changes to the options of the pipeline. Default: none.
    ///   - pipeline: Loads the image. Default: ``ImagePipeline/shared``.
    ///   - progress: Called as bytes arrive. Default: `nil`.
    ///   - completion: Called exactly once.
    @discardableResult
    public func setImage(
        with source: Source,
        placeholder: (any Placeholder)? = nil,
        options: [ImageOption] = [],
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

    /// Loads the image of a source and shows it.
    ///
    /// - Parameters:
    ///   - source: A URL, a file, a provider, or another one.
    ///   - placeholder: Shown until the image is. Default: nothing.
    ///   - options: The changes to the options of the pipeline. Default: none.
    ///   - pipeline: Loads the image. Default: ``ImagePipeline/shared``.
    @discardableResult
    public func setImage(
        with source: Source,
        placeholder: (any Placeholder)? = nil,
        options: [ImageOption] = [],
        pipeline: ImagePipeline = .shared
    ) -> DisplayTask? {
        setImage(with: source, placeholder: placeholder, options: options, pipeline: pipeline, completion: nil)
    }

    /// Loads an image and shows it, and returns once a completion handler would be called. Where an equal call has failed,
    /// it begins anew.
    ///
    /// Cancelling the calling task cancels the load.
    ///
    /// - Parameters:
    ///   - request: The source and the options.
    ///   - placeholder: Shown until the image is. Default: nothing.
    ///   - pipeline: Loads the image. Default: ``ImagePipeline/shared``.
    ///   - progress: Called as bytes arrive. Default: `nil`.
    /// - Returns: The response, after the image is shown and its transition has ended.
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
                    completion: { continuation.resume(with: $0) },
                    startsAnew: task?.state == .finished && task?.response == nil
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
