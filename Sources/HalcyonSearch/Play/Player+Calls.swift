internal import FoundationEssentials
internal import HTTPTypes
internal import Halcyon

extension Player {
    /// Begins a call whose result is checked when it comes.
    func begin(_ call: Call) -> Running {
        let id = model.begin([call.identity.resource], call: call)
        let request = ImageRequest(source(of: call), options: options(of: call))
        let pipeline = pipeline
        let running: Running
        switch call.kind {
        case .task:
            let task = pipeline.task(for: request)
            let watcher = Task { [self] in model.end(id, await outcome(call) { try await task.image }) }
            running = Running(id: id, watcher: watcher) {
                task.cancel()
            } prioritize: {
                task.priority = $0
            }
        case .response:
            let watcher = Task { [self] in
                let outcome = await outcome(call) { try await pipeline.response(for: request).image }
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
                let outcome = await outcome(call) {
                    let data = try await pipeline.encoded(for: request, as: .format(.png)).data
                    return try ImageCodecs.standard.decode(data)
                }
                model.end(id, outcome)
            }
            running = Running(id: id, watcher: watcher, cancel: { watcher.cancel() }, prioritize: { _ in })
        case .memory:
            let image = pipeline.responseFromMemory(for: request)?.image
            model.end(id, image.map { self.outcome(of: $0, call) } ?? .none)
            running = Running(id: id, watcher: Task {}, cancel: {}, prioritize: { _ in })
        }
        append(running)
        return running
    }

    private func outcome(
        _ call: Call,
        _ image: @Sendable () async throws -> DecodedImage
    ) async -> AnswerModel.Outcome {
        do {
            return outcome(of: try await image(), call)
        } catch {
            return failure(error)
        }
    }

    private func outcome(of image: DecodedImage, _ call: Call) -> AnswerModel.Outcome {
        LabelledImage.outcome(of: image, isLarge: program.resources[call.identity.resource].isLarge)
    }

    private func failure(_ error: any Error) -> AnswerModel.Outcome {
        error is CancellationError ? .cancelled : .failure("\(error)")
    }

    /// Returns the source that a call loads.
    func source(of call: Call) -> Source {
        let identity = call.identity
        var request = TransferRequest(url: SearchOrigin.url(identity.resource))
        if identity.user > 0 {
            switch call.carrier {
            case .request: request.headers[.authorization] = "Bearer user-\(identity.user)"
            case .cookie: request.headers[.cookie] = "user=\(identity.user)"
            case .credential: request.credential = .bearer("user-\(identity.user)")
            case .options: break
            }
        }
        if identity.language > 0 { request.headers[.acceptLanguage] = "x-\(identity.language)" }
        if identity.body > 0 {
            request.method = .post
            request.body = Data([UInt8(identity.body)])
        }
        return request == TransferRequest(url: request.url) ? .url(request.url) : .request(request)
    }

    /// Returns the configured options with those of the call.
    func options(of call: Call) -> ImageOptions {
        var options = pipeline.configuration.defaultOptions
        if call.carrier == .options, call.identity.user > 0 {
            options.network.headers[.authorization] = "Bearer user-\(call.identity.user)"
        }
        var processing = ImageProcessorChain.identity
        if call.variant.isReduced {
            processing = .resize(to: LabelledImage.reducedSize, mode: .stretch)
        }
        for mark in call.variant.marks {
            processing = processing |> ImageProcessorChain(MarkProcessor(mark: mark, holds: holds))
        }
        options.processing = processing
        options.decode.frame = call.variant.frame
        switch call.reads {
        case .all: options.cache.reads = .all
        case .memory: options.cache.reads = .memory
        case .none: options.cache.reads = .none
        case .disk: options.cache.reads = .disk
        }
        options.cache.storesInMemory = call.storesInMemory
        options.cache.storesOnDisk = call.storesOnDisk
        options.cache.storesOriginal = call.storesOriginal
        options.cache.readsOriginal = call.ignoresOriginal != true
        options.cache.waitsForStore = call.waitsForStore
        options.cache.revalidates = call.revalidates
        switch call.freshness {
        case .server: options.cache.freshness = .server
        case .ignoringServer: options.cache.freshness = .ignoringServer
        case .never: options.cache.freshness = .expiration(.never)
        case .minute: options.cache.freshness = .expiration(.seconds(60))
        }
        options.network.isAllowed = !call.isOffline
        options.priority = LoadPriority(rawValue: call.priority) ?? .normal
        return options
    }
}
