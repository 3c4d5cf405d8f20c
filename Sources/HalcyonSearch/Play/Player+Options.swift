internal import FoundationEssentials
internal import HTTPTypes
internal import Halcyon

extension Player {
    /// Returns the source that a call loads.
    func source(of call: Call) -> Source {
        let identity = call.identity
        if let form = identity.form { return source(form, of: identity) }
        let settings = call.settings
        let url = SearchOrigin.url(identity.resource, signature: settings?.signature, spelling: settings?.spelling)
        var request = TransferRequest(url: url)
        if identity.user > 0 {
            switch call.carrier {
            case .request: request.headers[.authorization] = "Bearer user-\(identity.user)"
            case .cookie: request.headers[.cookie] = "user=\(identity.user)"
            case .credential: request.credential = .bearer("user-\(identity.user)")
            case .options, .cookieOption: break
            }
        }
        if identity.language > 0 { request.headers[.acceptLanguage] = "x-\(identity.language)" }
        if identity.body > 0 {
            if !call.carrier.isOption { request.method = .post }
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
        if call.carrier == .cookieOption, call.identity.user > 0 {
            options.network.headers[.cookie] = "user=\(call.identity.user)"
        }
        if call.carrier.isOption, call.identity.body > 0 { options.network.method = .post }
        var processing = ImageProcessorChain.identity
        if call.variant.isReduced {
            processing = .resize(to: .pixels(LabelledImage.reducedSize), mode: .stretch)
        }
        for mark in call.variant.marks {
            processing = processing |> ImageProcessorChain(MarkProcessor(mark: mark, holds: holds))
        }
        options.processing = processing
        options.targetSize = call.variant.targetWidth.map { width in
            guard let settings = call.settings, settings.hasScale else { return .pixels(width: width) }
            return .points(width: Double(width) / settings.pixelsPerPoint)
        }
        options.decode.frame = call.variant.frame
        options.decode.largestSideLength = call.variant.longestSide
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
        options.delivery.callbackExecutor = .queue(callbacks)
        if let settings = call.settings { apply(settings, of: call, to: &options) }
        return options
    }

    /// Returns the source of another resource that a call loads.
    func source(ofOther resource: Int, of call: Call) -> Source {
        let identity = call.identity(ofOther: resource)
        if let form = identity.form { return source(form, of: identity) }
        return .url(SearchOrigin.url(resource, spelling: call.settings?.spelling))
    }

    /// Returns a source whose bytes come from the program. Its name begins with the URL, so that a removal by prefix
    /// removes its images as well; a text and a file have names of their own.
    private func source(_ form: SourceForm, of identity: Identity) -> Source {
        let name = SearchOrigin.url(identity.resource).absoluteString + form.rawValue
        switch form {
        case .closure:
            return .closure(cacheKey: name) { [origin] in try origin.bytes(for: identity) }
        case .stream:
            return .stream(cacheKey: name) { [origin] in
                let bytes = try origin.bytes(for: identity)
                return AsyncStream<Data> { continuation in
                    continuation.yield(bytes.prefix(bytes.count / 2))
                    continuation.yield(bytes.suffix(bytes.count - bytes.count / 2))
                    continuation.finish()
                }
            }
        case .base64:
            return .base64(texts[.base64]?[identity.resource] ?? "")
        case .dataURL:
            return .dataURL("data:image/png;base64," + (texts[.dataURL]?[identity.resource] ?? ""))
        case .file:
            return .file(path(ofFile: identity.resource))
        }
    }
}
