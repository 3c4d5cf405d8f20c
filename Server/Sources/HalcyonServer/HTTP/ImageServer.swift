internal import CoreMetrics
internal import FoundationEssentials
internal import Glibc
package import Halcyon
package import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import ServerURLs
internal import ServiceLifecycle
internal import Tracing

/// A server of images: URLs say which source, what is changed, and in which form it is sent.
///
/// ```swift
/// let server = try await ImageServer(settings)
/// try await server.run()
/// ```
package struct ImageServer: Sendable {
    /// Loads the images.
    package let pipeline: ImagePipeline
    let settings: ServerSettings
    let queue: RequestQueue<QueuedImage>
    let formats: OutputFormats
    let fields: CachingFields
    let metrics: PrometheusMetrics
    let logger: Logger
    let tracer: TraceContextTracer
    let watermark: ServerWatermark?
    let errorImage: Data?
    let connections = ClientConnections()

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - pipeline: Loads the images; `nil`: one by the settings. Default: `nil`.
    ///   - logger: Gets a line for each request. Default: one for "halcyon-server".
    ///   - onSpan: Called with each span that has ended. Default: a line in the log, of the level `debug`.
    /// - Throws: ``SettingsError`` for files that cannot be read, and a folder of the cache that cannot be written to.
    package init(
        _ settings: ServerSettings,
        pipeline: ImagePipeline? = nil,
        logger: Logger = Logger(label: "halcyon-server"),
        onSpan: (@Sendable (TraceContextTracer.FinishedSpan) -> Void)? = nil
    ) async throws {
        self.settings = settings
        self.logger = logger
        for name in settings.unknownVariables {
            logger.warning("A variable of the environment is no setting", metadata: ["variable": "\(name)"])
        }
        metrics = PrometheusMetrics()
        tracer = TraceContextTracer(onEnd: onSpan ?? { logger.debug("span", metadata: $0.metadata) })
        let onFault: @Sendable (ImageError) -> Void = { logger.error("A cache failed", metadata: ["error": "\($0)"]) }
        let pipeline = try pipeline ?? settings.makePipeline(metrics: metrics, tracer: tracer, onFault: onFault)
        self.pipeline = pipeline
        let concurrency = settings.limits.concurrency
        queue = RequestQueue(
            capacity: concurrency > 0 ? concurrency : 4 * ProcessorCount.available,
            limit: settings.limits.queue
        )
        formats = OutputFormats(settings)
        fields = CachingFields(settings)
        func file(_ path: String, _ name: String) async throws -> (data: Data, image: DecodedImage) {
            do {
                let data = try Data(contentsOf: URL(filePath: path))
                return (data, try await pipeline.response(for: ImageRequest(.data(data), options: [.noCache])).image)
            } catch {
                let reason = (error as? ImageError)?.message ?? SettingsError.reason(error)
                throw SettingsError("“\(name)” is no image that can be read, \(path): \(reason)")
            }
        }
        watermark = try await settings.watermarkFile.asyncMap { path in
            let (data, image) = try await file(path, "watermark-file")
            return ServerWatermark(image: WatermarkImage(image), tag: EntityTag.text(of: data))
        }
        errorImage = try await settings.errorImageFile.asyncMap { try await file($0, "error-image-file").data }
    }

    /// Answers requests until the process is told to end (SIGTERM, SIGINT).
    ///
    /// - Parameter onServerRunning: Called with the port once the server listens. Default: does nothing.
    /// - Throws: ``SettingsError`` where the address of the settings cannot be listened on.
    package func run(onServerRunning: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        let reason: String
        do {
            return try await application(onServerRunning: onServerRunning).runService()
        } catch let error as IOError where [EADDRINUSE, EADDRNOTAVAIL, EACCES].contains(error.errnoCode) {
            reason = String(cString: strerror(error.errnoCode))
        } catch let error as SocketAddressError.UnknownHost {
            reason = error.errorDescription
        }
        throw SettingsError(
            "“host”, “port”: the server cannot listen on \(settings.host), port \(settings.port): \(reason)"
        )
    }

    /// Returns the application that listens, and ends gracefully: what runs is finished, and what waits for the
    /// disk is written.
    ///
    /// - Parameter onServerRunning: Called with the port once the server listens. Default: does nothing.
    package func application(
        onServerRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> Application<ServerResponder> {
        let limits = settings.limits
        let idle = Int64(limits.idleSeconds)
        var decoder = HTTP1Channel.Configuration.DecoderConfiguration()
        decoder.maxHeaderListSize = 32 << 10
        decoder.maxHeaderFieldSize = 16 << 10
        decoder.maxHeaderFieldCount = 100
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: SlowClientHandler.handlers(seconds: Int64(limits.seconds) + idle)
                + [RequestFramingHandler.Installer(), ClientConnections.Handler(connections)],
            idleTimeout: .seconds(idle),
            httpDecoderConfiguration: decoder
        )
        let configuration = ApplicationConfiguration(
            address: .hostname(settings.host, port: settings.port),
            serverName: nil,
            availableConnectionsDelegate: MaximumAvailableConnections(limits.connections)
        )
        var application = Application(
            responder: ServerResponder(server: self),
            server: .http1(configuration: channel),
            configuration: configuration,
            onServerRunning: { channel in await onServerRunning(channel.localAddress?.port ?? 0) },
            logger: logger
        )
        application.addServices(PipelineService(pipeline))
        return application
    }
}

/// Answers each request, whatever happens, unless the client leaves: see ``ImageServer``.
package struct ServerResponder: HTTPResponder {
    /// What is known of a request beside its fields.
    package struct Context: RequestContext {
        package var coreContext: CoreRequestContextStorage
        let channel: any Channel

        package init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
            channel = source.channel
        }
    }

    let server: ImageServer

    /// Returns the answer.
    package func respond(to request: Request, context: Context) async throws -> Response {
        await server.connections.answer(on: context.channel) { await server.respond(to: request) }
    }
}

/// Ends the downloads under way at a graceful shutdown, and writes to disk what waits for that.
///
/// It comes before the server in the list of services: a group shuts its services down in the reverse order, so
/// that the server answers its last requests while the pipeline still loads.
struct PipelineService: Service {
    private let pipeline: ImagePipeline

    init(_ pipeline: ImagePipeline) {
        self.pipeline = pipeline
    }

    func run() async throws {
        // Ends at the graceful shutdown, and as well when the task of the group is cancelled.
        try? await gracefulShutdown()
        pipeline.configuration.downloader.shutdown()
        await pipeline.cache.flush()
    }
}

extension OutputFormats {
    init(_ settings: ServerSettings) {
        offers = settings.offers.map { ImageFormat(rawValue: $0) }
        qualities = Dictionary(
            settings.qualities.map { (ImageFormat(rawValue: $0.key == "jpg" ? "jpeg" : $0.key), $0.value) },
            uniquingKeysWith: { $1 }
        )
    }
}

extension TraceContextTracer.FinishedSpan {
    /// The span as fields of a line in a log.
    var metadata: Logger.Metadata {
        [
            "name": "\(name)", "trace": "\(position.trace)", "span": "\(position.span)", "parent": "\(parent ?? "")",
            "ns": "\(nanoseconds)",
        ]
    }
}

extension Optional where Wrapped: Sendable {
    fileprivate func asyncMap<Result>(_ transform: (Wrapped) async throws -> Result) async throws -> Result? {
        guard let self else { return nil }
        return try await transform(self)
    }
}
