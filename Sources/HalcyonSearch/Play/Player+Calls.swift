internal import FoundationEssentials
internal import Halcyon
internal import HalcyonCodecs
internal import HalcyonSystem

extension Player {
    /// Begins a call whose result is checked when it comes.
    func begin(_ call: Call) -> Running {
        let id = model.begin(call.resources, call: call)
        let request = ImageRequest(source(of: call), exactly: options(of: call))
        let pipeline = pipeline(of: call)
        let running: Running
        switch call.kind {
        case .task, .superseding:
            let task = pipeline.task(for: request)
            if call.kind == .superseding { supersede(by: task, id) }
            let previews = call.settings?.preview == nil ? nil : task.previews
            let watcher = Task { [self] in
                model.end(id, await outcome(call) { try await task.response })
                guard let previews else { return }
                for await preview in previews { check(preview, of: call) }
            }
            running = Running(id: id, watcher: watcher) {
                task.cancel()
            } prioritize: {
                task.priority = $0
            }
        case .response:
            let watcher = Task { [self] in
                let outcome = await outcome(call) { try await pipeline.response(for: request) }
                model.end(id, outcome)
            }
            running = Running(id: id, watcher: watcher, cancel: { watcher.cancel() }, prioritize: { _ in })
        case .data:
            let watcher = Task { [self] in
                do {
                    // Without options of its own the call starts from the configured ones, too.
                    let data =
                        call == Call(kind: .data, identity: call.identity, carrier: .request)
                        ? try await pipeline.data(for: ImageRequest(request.source))
                        : try await pipeline.data(for: request)
                    model.end(id, LabelledImage.outcome(of: data))
                } catch {
                    model.end(id, failure(error))
                }
            }
            running = Running(id: id, watcher: watcher, cancel: { watcher.cancel() }, prioritize: { _ in })
        case .encoded:
            let watcher = Task { [self] in
                do {
                    let data = try await pipeline.encoded(for: request, as: .format(.png)).data
                    let codecs = ImageCodecs.standard
                    let image = try codecs.decode(data)
                    model.end(id, outcome(of: image, codecs.animation(of: image, data, options: DecodeOptions()), call))
                } catch {
                    model.end(id, failure(error))
                }
            }
            running = Running(id: id, watcher: watcher, cancel: { watcher.cancel() }, prioritize: { _ in })
        case .memory:
            let response = pipeline.responseFromMemory(for: request)
            model.end(id, response.map { self.outcome(of: $0, call) } ?? .none)
            running = Running(id: id, watcher: Task {}, cancel: {}, prioritize: { _ in })
        case .callback:
            running = callback(call, id) { pipeline.loadImage(with: request, completion: $0) }
        }
        if [.task, .callback, .superseding].contains(call.kind) { model.isCalled(id) }
        append(running)
        return running
    }

    /// Gives the task before up for one that takes its place.
    private func supersede(by task: ImageTask, _ id: Int) {
        let earlier = state.withLock { state in
            defer { state.latest = (id, task) }
            return state.latest
        }
        guard let earlier else { return }
        model.cancel(earlier.id)
        earlier.task.supersede(by: task, policy: .cancel)
    }

    /// Begins a load that calls back, exactly once.
    private func callback(
        _ call: Call,
        _ id: Int,
        _ load: (@escaping @Sendable (Result<ImageResponse, any Error>) -> Void) -> ImageTask
    ) -> Running {
        let (results, continuation) = AsyncStream<Result<ImageResponse, any Error>>.makeStream()
        let count = Lock(0)
        let task = load { [model] result in
            let count = count.withLock { count in
                count += 1
                return count
            }
            if count > 1 { model.report(.result, "\(call): \(count) results") }
            continuation.yield(result)
            continuation.finish()
        }
        let watcher = Task { [self] in
            for await result in results { model.end(id, await outcome(call) { try result.get() }) }
        }
        return Running(id: id, watcher: watcher) {
            task.cancel()
        } prioritize: {
            task.priority = $0
        }
    }

    private func outcome(
        _ call: Call,
        _ response: @Sendable () async throws -> ImageResponse
    ) async -> AnswerModel.Outcome {
        do {
            return outcome(of: try await response(), call)
        } catch {
            return failure(error)
        }
    }

    private func outcome(of response: ImageResponse, _ call: Call) -> AnswerModel.Outcome {
        let scale = call.settings?.deliveredScale ?? 1
        guard response.image.scale == scale else {
            return .unreadable("the scale is \(response.image.scale) instead of \(scale)")
        }
        if let data = response.data { check(data, of: call) }
        return outcome(of: response.image, response.image.animation, call)
    }

    /// Returns the outcome that an answer shows, and checks its animation. A larger image in memory may have none, and so
    /// may one that takes the place of a failure.
    private func outcome(of image: DecodedImage, _ animation: ImageAnimation?, _ call: Call) -> AnswerModel.Outcome {
        let outcome = LabelledImage.outcome(of: image)
        guard case .image(let serial, let appearance?) = outcome, let identity = model.identity(of: serial) else {
            return outcome
        }
        let isAnimated = call.isAnimated && program.resources[identity.resource].isAnimated
        var problem = animation.flatMap { LabelledImage.problem(with: $0, serial: serial, appearance) }
        if problem == nil, call.largerPlaces.isEmpty, !model.state.withLock({ $0.mayFail(call) }) {
            if isAnimated != (animation != nil) { problem = isAnimated ? "no animation" : "an animation" }
            if isAnimated, call.settings?.reading?.preloads == true, call.kind != .encoded,
                animation?.preloadedFrames == nil
            {
                problem = "no frames"
            }
        }
        if let problem { model.report(.wrongAnimation, "\(call): answered with image \(serial) and \(problem)") }
        return outcome
    }

    /// Checks the original that comes with an image: it may be another version of it, and is of no one else.
    private func check(_ data: Data, of call: Call) {
        guard case .image(let serial, _) = LabelledImage.outcome(of: data) else {
            if model.hasFailed(call.resources) { return }
            return model.report(.damagedImage, "\(call): the original data is no image")
        }
        let settings = call.settings
        let others = [settings?.alternative, settings?.lowData].compactMap { $0.map(call.identity(ofOther:)) }
        guard let identity = model.identity(of: serial), !([call.identity] + others).contains(identity) else { return }
        model.report(.wrongImage, "\(call): with the original data of \(identity)")
    }

    /// Checks a preview. Those that fail are left out.
    private func check(_ preview: ImagePreview, of call: Call) {
        guard let expected = call.settings?.preview.map(call.identity(ofOther:)) else { return }
        guard case .image(let serial, let appearance) = outcome(of: preview.response, call) else {
            return model.report(.damagedImage, "\(call): a preview that is no image")
        }
        guard !model.state.withLock({ $0.forbids(expected) }) else {
            return model.report(.forbiddenSource, "\(call): a preview of a source that is not allowed")
        }
        guard model.identity(of: serial) == expected else {
            return model.report(.wrongImage, "\(call): a preview of \(String(describing: model.identity(of: serial)))")
        }
        let allowed = call.appearances(isLarge: program.resources[expected.resource].isLarge)
        if let appearance, !allowed.contains(appearance) {
            model.report(.wrongVariant, "\(call): a preview \(appearance)")
        }
    }

    private func failure(_ error: any Error) -> AnswerModel.Outcome {
        switch error {
        case is CancellationError: return .cancelled
        case let error as ImageError where error.reason.isRefusal: return .forbidden
        case let error as ImageError:
            guard let cause = error.reason.isolation else { return .failure("\(error)") }
            if case .refused = cause { return .lost("\(error)", isRefusal: true) }
            return .lost("\(error)", isRefusal: false)
        default: return .failure("\(error)")
        }
    }
}

extension ImageError.Reason {
    /// A Boolean value that indicates whether a source is not allowed, the only one or the first of several.
    fileprivate var isRefusal: Bool {
        switch self {
        case .sourceNotAllowed: true
        case .alternativesExhausted(let failures): failures.contains { $0.error.reason.isRefusal }
        default: false
        }
    }

    /// What happened to the process that decoded; `nil` if something else failed.
    fileprivate var isolation: IsolationError? {
        switch self {
        case .codec(.isolation(let error)): error
        case .failedBefore(let reason): reason.isolation
        case .alternativesExhausted(let failures): failures.lazy.compactMap { $0.error.reason.isolation }.first
        default: nil
        }
    }
}
