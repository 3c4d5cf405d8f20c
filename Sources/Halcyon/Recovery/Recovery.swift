internal import HalcyonHTTP

/// The parts that a pipeline recovers from failures with.
final class Recovery: Sendable {
    let network: any NetworkMonitoring
    let clock: any Clock<Duration>
    let fractions: RandomFractions
    private let failureMemory: FailureMemory?
    private let circuitBreaker: CircuitBreaker?
    /// The pipeline's downloader.
    private let downloader: ImageDownloader
    /// The formats that nobody registered and that were reported.
    private let reportedFormats = Lock<Set<ImageFormat>>([])
    /// The formats of which an image was decoded in the program for want of a worker, and that were reported.
    private let formatsInProgram = Lock<Set<ImageFormat>>([])

    init(_ configuration: RecoveryConfiguration, downloader: ImageDownloader) {
        self.downloader = downloader
        network = configuration.network
        clock = configuration.clock
        fractions = RandomFractions(configuration.generator)
        failureMemory = configuration.failureMemory
        circuitBreaker = configuration.circuitBreaker
    }

    /// Loads a source's bytes, with the handling of failures that the options and the configuration ask for.
    func load<Value>(
        _ request: ResolvedRequest,
        _ context: WorkContext,
        _ attempt: () async throws -> Value
    ) async throws -> Value {
        guard case .network = request.source.location, request.options.allowsNetwork else {
            return try await retrying(request, context, attempt)
        }
        return try await loadThroughCache(request, context) { try await exchange(request, attempt) }
    }

    /// The same for attempts that may not need the server: an attempt that does need it sends within
    /// ``exchange(_:_:)``.
    func loadThroughCache<Value>(
        _ request: ResolvedRequest,
        _ context: WorkContext,
        _ attempt: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await retrying(request, context, attempt)
        } catch let error as ImageError {
            remember(error, of: request)
            throw error
        }
    }

    /// Returns the error of an equal request that failed before; `nil` if none is remembered, or the options load anew.
    func rememberedFailure(of request: ResolvedRequest) -> ImageError? {
        guard !request.options.cache.isForcedRefresh, let failureMemory, let name = request.nameOfFailures,
            var error = failureMemory.failure(for: name)
                ?? failureMemory.failure(for: name.ofFrame(request.options.decode.frame))
        else { return nil }
        // Other codecs may read the bytes.
        if case .codec = error.reason, !request.options.decode.hasStandardReading { return nil }
        error.reason = .failedBefore(error.reason)
        return error
    }

    /// Returns the error of a request that may not use the available network; `nil` if it may.
    private func meteredNetwork(for request: ResolvedRequest) -> ImageError? {
        // The network is asked last: most loads may use any.
        guard !request.options.recovery.ofOneSource.allowsMetered, !request.source.isOnThisMachine,
            network.isMetered
        else { return nil }
        return ImageError(stage: .load, reason: .meteredNetwork, source: "\(request.source)")
    }

    /// Remembers the failure of a request, or that the bytes that it brought were unusable.
    func remember(_ error: ImageError, of request: ResolvedRequest, frame: Int = 0) {
        if case .codec = error.reason, !request.options.decode.hasStandardReading { return }
        // It is the worker's, which remembers it itself.
        if case .codec(.isolation) = error.reason { return }
        // That under another configuration than the name shows.
        guard !error.isOfOtherConfiguration else { return }
        guard let failureMemory, let name = request.nameOfFailures else { return }
        failureMemory.record(error, for: name.ofFrame(frame))
    }

    /// Returns the error of an original that cannot be decoded, which is remembered if it has just come from its server. A format
    /// that nobody registered is reported, once for each.
    func failure(
        _ error: CodecError,
        toDecode original: Original,
        of request: ResolvedRequest,
        frame: Int = 0,
        context: WorkContext
    ) -> ImageError {
        if case .unregistered(let format) = error, reportedFormats.withLock({ $0.insert(format).inserted }) {
            context.note(.unregisteredFormat(format))
        }
        var error = ImageError(stage: .decode, reason: .codec(error), source: "\(request.source)")
        error.isOfOtherConfiguration = original.isOfOtherConfiguration
        if original.source == .network { remember(error, of: request, frame: frame) }
        return error
    }

    /// Reports that an image was decoded in the program, as there is no worker; once for each format.
    func reportDecodedInProgram(_ format: ImageFormat, _ error: IsolationError, context: WorkContext) {
        guard formatsInProgram.withLock({ $0.insert(format).inserted }) else { return }
        context.note(.decodedInProgram(format, error))
    }

    /// Returns the way by which an attempt that begins now reaches its server.
    private func route(of request: ResolvedRequest) -> CircuitBreaker.Route {
        let own = request.options.network.downloader
        return CircuitBreaker.Route(downloader: own?.number, transport: (own ?? downloader).setup.transportNumber)
    }

    private func forgetFailure(of request: ResolvedRequest) {
        guard let failureMemory, let name = request.nameOfFailures else { return }
        failureMemory.forget(name)
        failureMemory.forget(name.ofFrame(request.options.decode.frame))
    }

    /// Sends a request unless something speaks against it, reports the outcome to the circuit of its server, and
    /// removes an earlier failure after a success.
    ///
    /// - Throws: The error of `attempt`. If nothing was sent, an error of the reason
    ///   ``ImageError/Reason/meteredNetwork``, ``ImageError/Reason/failedBefore(_:)`` or
    ///   ``ImageError/Reason/serverUnavailable(_:)``.
    func exchange<Value>(_ request: ResolvedRequest, _ attempt: () async throws -> Value) async throws -> Value {
        // The metered network comes first: it alone has a source that takes the place of the one it forbids.
        if let error = meteredNetwork(for: request) ?? rememberedFailure(of: request) { throw error }
        guard let circuitBreaker, case .network(let transfer) = request.source.location,
            let permit = try circuitBreaker.admit(transfer, by: route(of: request))
        else {
            let value = try await attempt()
            forgetFailure(of: request)
            return value
        }
        do {
            let value = try await attempt()
            circuitBreaker.succeeded(permit)
            forgetFailure(of: request)
            return value
        } catch let error as ImageError where !Task.isCancelled {
            circuitBreaker.failed(permit, error)
            throw error
        } catch {
            circuitBreaker.abandoned(permit)
            throw error
        }
    }
}

extension ResolvedRequest {
    /// The key of the failures of this load: its request with the additions of the options, so that a refusal does not
    /// count for a request with another credential. The additions of the downloader to all requests are told by its
    /// generation; the conditions that a cache adds are left out. `nil` with hooks of the options, which may decide
    /// otherwise the next time.
    fileprivate var nameOfFailures: FailedRequest? {
        guard case .network(let transfer) = source.location, options.network.hooks == nil else { return nil }
        let request = options.network.applied(to: transfer, over: NetworkPolicy())
        return FailedRequest(request, policy: options.network, generation: work.generation)
    }
}
