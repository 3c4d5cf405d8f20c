internal import Halcyon

/// An attempt of a load, which tells the call that counts of its end.
@MainActor
final class DisplayAttempt {
    let number: Int
    /// The call, or a later one for the same.
    var task: DisplayTask

    init(_ task: DisplayTask) {
        self.task = task
        number = task.beginAttempt()
        task.running = self
    }

    /// The network while the attempt is under way; `nil` until it has begun.
    private(set) var network: NetworkWatch?

    func followNetwork(clock: any Clock<Duration>) {
        network = NetworkWatch(of: task.pipeline, clock: clock)
    }
}

/// Notes whether the network comes back while a load is under way: a transfer that has stalled fails only after that, when
/// its time is over.
@MainActor
final class NetworkWatch {
    /// The time after which the network is followed: most loads have ended by then.
    private static let patience = Duration.seconds(1)
    private var following: Task<Void, Never>?
    private var returning: NetworkReturn?
    /// A Boolean value that indicates whether the network came back.
    var isBack = false

    init(of pipeline: ImagePipeline, clock: any Clock<Duration>) {
        following = Task { [weak self] in
            guard (try? await clock.sleep(for: Self.patience)) != nil, let self else { return }
            returning = NetworkReturn(of: pipeline) { [weak self] in self?.isBack = true }
        }
    }

    deinit { following?.cancel() }
}

/// The failure of a load, and the time at which an equal call loads anew.
@MainActor
final class DisplayFailure {
    let error: any Error
    /// A Boolean value that indicates whether the network came back since.
    private(set) var isOver: Bool
    private var returning: NetworkReturn?
    /// A Boolean value that indicates whether the pipeline has remembered the failure.
    private let wasRemembered: Bool

    /// - Parameter networkIsBack: Whether the network came back before the load has failed.
    init(_ error: any Error, of request: ImageRequest, in pipeline: ImagePipeline, networkIsBack: Bool) {
        self.error = error
        wasRemembered = pipeline.remembersFailure(of: request)
        isOver = networkIsBack && !wasRemembered
        guard !wasRemembered, !isOver else { return }
        returning = NetworkReturn(of: pipeline) { [weak self] in self?.isOver = true }
    }

    /// Returns whether an equal call loads anew: the network came back, or the pipeline has forgotten the failure.
    func mayBeOver(for request: ImageRequest, in pipeline: ImagePipeline) -> Bool {
        if error is CancellationError || isOver { return true }
        return wasRemembered && !pipeline.remembersFailure(of: request)
    }
}

/// Waits until the network is back: connected, after it was not, or no longer metered.
@MainActor
final class NetworkReturn {
    private let task: Task<Void, Never>

    /// - Parameter action: Called once, unless this object has ended.
    init(of pipeline: ImagePipeline, action: @escaping @MainActor () -> Void) {
        let updates = pipeline.configuration.recovery.network.statusUpdates
        task = Task {
            var last: NetworkStatus?
            for await status in updates {
                if let last, status.isConnected, !last.isConnected || last.isMetered && !status.isMetered {
                    return action()
                }
                last = status
            }
        }
    }

    deinit { task.cancel() }
}

extension DisplayTask {
    /// Returns whether another call asks for the same image, shown in the same way. Handlers and placeholders do not count.
    func isEqual(to other: DisplayTask) -> Bool {
        !hasDroppedClosures && pipeline === other.pipeline && request.source == other.request.source
            && (options == other.options || options.withoutHandlers == other.options.withoutHandlers)
    }

    /// Returns whether another call asks for the same image, but maybe at another size.
    func hasSameImage(as other: DisplayTask) -> Bool {
        pipeline === other.pipeline && request.source == other.request.source
            && options.withoutSize == other.options.withoutSize
    }
}

extension ImagePipeline {
    /// The changes that views make to the defaults of a pipeline, before those of the program: the original is kept on
    /// disk, so that the image is made of it at every size.
    private static let viewDefaults: [ImageOption] = [.cacheOriginalImage]
    /// The same for images that no processors change, at the size of their widget: a larger one in memory is drawn smaller
    /// until there is another. None follows for a size that the program has given.
    private static let inexactViewDefaults: [ImageOption] = [.cacheOriginalImage, .precision(.inexact)]

    /// Returns the options of a view's load: those of this pipeline, with the changes of views, then with the program's. A
    /// whole value stays as it is.
    func viewOptions(of request: ImageRequest) -> ImageOptions {
        let options = completed(request, after: Self.inexactViewDefaults).options
        guard !options.processing.isIdentity || options.targetSize != nil else { return options }
        return completed(request, after: Self.viewDefaults).options
    }
}

extension ImageOptions {
    private static let anySetting = ImageSetting.custom { _ in }
    private static let anyTransition = ImageTransition.custom(.zero) { _ in }
    private static let anyIndicator = LoadIndicator.custom { _ in }

    /// The same options, in which all closures and images that are equal to themselves alone are the same.
    fileprivate var withoutHandlers: ImageOptions {
        var changes: [ImageOption] = []
        if case .custom = self[ImageSettingKey.self].kind { changes.append(.setting(Self.anySetting)) }
        if case .custom = self[TransitionKey.self].kind { changes.append(.transition(Self.anyTransition)) }
        if case .image = self[FailureDisplayKey.self] { changes.append(.clearOnFailure) }
        switch self[IndicatorKey.self].kind {
        case .image, .custom: changes.append(.indicator(Self.anyIndicator))
        case .none, .spinner, .progressRing: break
        }
        let playback = self[PlaybackKey.self]
        if playback.onEvent != nil { changes.append(.playback(playback.withoutHandler)) }
        return applying(changes)
    }

    /// The same options, in which nothing is left to closures.
    var withoutClosures: ImageOptions {
        var changes: [ImageOption] = []
        if case .custom = self[ImageSettingKey.self].kind { changes.append(.setting(.manual)) }
        if case .custom = self[TransitionKey.self].kind { changes.append(.transition(.none)) }
        if case .custom = self[IndicatorKey.self].kind { changes.append(.indicator(.none)) }
        let playback = self[PlaybackKey.self]
        if playback.onEvent != nil { changes.append(.playback(playback.withoutHandler)) }
        return changes.isEmpty ? self : applying(changes)
    }

    /// The same options without what says how large an image is, and how it is shown.
    fileprivate var withoutSize: ImageOptions {
        var options = applying([
            .sizing(.widget), .setting(.automatic), .transition(.none), .indicator(.none), .clearOnFailure,
            .playback(AnimationPlayback()), .keepCurrentImageWhileLoading, .visibility(.whileMapped),
            .superseded(.cancel), .delayPlaceholder, .forceTransition, .transitionOnlyFromNetwork,
            .loadDiskFileSynchronously, .rendering(ImageRendering()), .priority(.normal),
            // That of a view depends on who gives the size.
            .precision(.exact),
        ])
        options.targetSize = nil
        return options
    }
}
