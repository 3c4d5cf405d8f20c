import FoundationEssentials
import HTTPTypes
import Halcyon
import HalcyonStore
import HalcyonTesting
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

@testable import HalcyonServer
@testable import ServerURLs

/// Records the fields of lines.
private struct RecordingLogHandler: LogHandler {
    let lines: Recorder<Logger.Metadata>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.add(event.metadata ?? [:]) }
}

/// A server over a scripted transport, with a key and a folder of its own.
final class ServerFixture: Sendable {
    static let key = String(repeating: "5a", count: 32)

    let transport = ScriptedTransport()
    let folder = FileManager.default.temporaryDirectory.appending(path: "server-\(UInt64.random(in: 0 ... .max))").path
    let server: ImageServer
    let spans = Recorder<TraceContextTracer.FinishedSpan>()
    /// The lines of the log, each with its fields.
    let lines = Recorder<Logger.Metadata>()

    /// - Parameters:
    ///   - codecs: The codecs. Default: those of the server.
    ///   - change: Changes the settings.
    init(
        codecs: ImageCodecs = .server,
        _ change: (inout ServerSettings) throws -> Void = { _ in }
    ) async throws {
        var settings = ServerSettings()
        settings.urls.keys = try SigningKeys(hexLines: Self.key)
        settings.urls.now = { 1_000 }
        try change(&settings)
        var policy = NetworkPolicy()
        policy.hooks = OriginHooks(rules: settings.sources)
        var configuration = ImagePipeline.Configuration(
            downloader: ImageDownloader(transport: transport, configuration: .init(policy: policy)),
            cache: ImageCache(disk: DiskCache.Configuration(folder: folder + "/cache"), isShared: true),
            codecs: codecs
        )
        configuration.allowedSources = settings.sources.localRoot == nil ? .web : [.web, .files]
        let spans = spans
        server = try await ImageServer(
            settings,
            pipeline: ImagePipeline(configuration: configuration),
            logger: Logger(label: "test") { [lines] _ in RecordingLogHandler(lines: lines) },
            onSpan: { spans.add($0) }
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Serves an image at a URL of a test.
    func serve(_ url: String, _ body: Data, headers: HTTPFields = [:]) throws {
        transport.setRoute(try #require(URL(string: url)), .init(headers: headers, body: body))
    }

    /// Returns the path of a signed URL.
    func path(_ options: [String], _ source: String = "https://origin.test/cat.png") throws -> String {
        try HalcyonURL(options: options, source: source).path(signedBy: server.settings.urls.keys)
    }

    /// Returns the answer to a request.
    func answer(_ path: String, _ headers: HTTPFields = [:], method: HTTPRequest.Method = .get) async throws
        -> TestResponse
    {
        let application = Application(responder: ServerResponder(server: server))
        return try await application.test(.router) { client in
            try await client.execute(uri: path, method: method, headers: headers)
        }
    }

    /// Returns the same as a PNG.
    static func png(_ width: Int = 64, _ height: Int = 48) throws -> Data {
        try ImageCodecs.standard.encode(
            TestImage.bitmap(width, height, PixelRect(x: 0, y: 0, width: width / 2, height: height)),
            as: .png
        )
    }

    /// Returns an animation of two frames as a GIF.
    static func animation() throws -> Data {
        let frames = [
            try TestImage.bitmap(40, 30), try TestImage.bitmap(40, 30, PixelRect(x: 0, y: 0, width: 20, height: 30)),
        ]
        return try ImageCodecs.standard.encode(
            frames.map { AnimationFrame(bitmap: $0, duration: 100) },
            as: .gif,
            loopCount: 0,
            options: EncodeOptions(),
            isCancelled: { false }
        )
    }
}
