import Foundation
import HTTPTypes
import Halcyon
import HalcyonFleet
import HalcyonTesting
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

@testable import HalcyonServer
@testable import ServerURLs

/// An engine of a test, on a loopback port.
private final class Engine: @unchecked Sendable {
    // Unchecked: `Process` is used by the test that owns it alone, and by `deinit`.
    static let program = ["/usr/bin/redis-server", "/usr/bin/valkey-server"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    let port: Int
    private let folder = "\(NSTemporaryDirectory())/engine-\(UInt64.random(in: 0 ... .max))"
    private var process = Process()

    init() throws {
        port = try #require((0..<200).lazy.map { _ in Int.random(in: 23_000..<32_000) }.first { Self.isFree($0) })
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try start()
    }

    /// Starts the process, with what one before has written.
    func start() throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.program))
        process.arguments = [
            "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--dir", folder, "--appendonly", "yes",
            "--appendfsync", "always",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Ends the process as a crash would.
    func end() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    deinit {
        end()
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// Returns whether a condition becomes true. It is asked again, as the engine is another process.
private func eventually(_ condition: () async -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < end {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(20))
    }
    return false
}

@Suite("Servers that share an engine", .enabled(if: Engine.program != nil, "no Redis or Valkey is installed"))
struct SharedEngineTests {
    /// - Parameter keys: The keys of URLs, one a line, the newest first. Default: one.
    private func settings(_ engine: Engine, _ folder: String, keys: String = ServerFixture.key) throws -> ServerSettings
    {
        var settings = try ServerSettings(
            arguments: ["--engine", "redis://127.0.0.1:\(engine.port)", "--cache-folder", folder],
            environment: ["HALCYON_KEY": keys]
        )
        settings.memoryBytes = 1 << 20
        return settings
    }

    private func pipeline(_ engine: Engine, _ folder: String, keys: String = ServerFixture.key) throws -> ImagePipeline
    {
        try settings(engine, folder, keys: keys)
            .makePipeline(metrics: PrometheusMetrics(), tracer: TraceContextTracer(onEnd: { _ in }))
    }

    @Test("purge an image on all of them, and share what they have made")
    func purging() async throws {
        let engine = try Engine()
        let folder = FileManager.default.temporaryDirectory.appending(path: "engine-\(UInt64.random(in: 0 ... .max))")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (first, second) = (try pipeline(engine, folder + "/1"), try pipeline(engine, folder + "/2"))
        let request = ImageRequest(try #require(URL(string: "https://origin.test/cat.png")))
        // Until both have heard of the engine, each keeps its own.
        #expect(
            await eventually {
                guard let data = try? ServerFixture.png() else { return false }
                _ = try? await first.cache.store(data, for: request)
                await first.cache.flush()
                return await second.cache.storedData(for: request) == data
            }
        )
        try await second.cache.removeAll(originalsBeginningWith: "https://origin.test/")
        #expect(await eventually { await first.cache.tiers(with: request).isEmpty })
        #expect(await first.cache.storedData(for: request) == nil)
    }

    @Test("say that an image is not purged everywhere while the engine is away, and purge it when it is back")
    func purgingWithoutEngine() async throws {
        let engine = try Engine()
        let folder = FileManager.default.temporaryDirectory.appending(path: "engine-\(UInt64.random(in: 0 ... .max))")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var settings = try self.settings(engine, folder + "/1")
        settings.purgeToken = ServerSettings.Secret("a token of the tests")
        let server = try await ImageServer(
            settings,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let (first, second) = (server.pipeline, try pipeline(engine, folder + "/2"))
        let request = ImageRequest(try #require(URL(string: "https://origin.test/cat.png")))
        let data = try ServerFixture.png()
        // Until both have heard of the engine, each keeps its own.
        #expect(
            await eventually {
                _ = try? await second.cache.store(data, for: request)
                await second.cache.flush()
                return await first.cache.storedData(for: request) == data
            }
        )
        #expect(await second.cache.tiers(with: request).contains(.disk))
        engine.end()
        let answer = try await Application(responder: ServerResponder(server: server)).test(.router) { client in
            try await client.execute(
                uri: "/cache?source=https://origin.test/cat.png",
                method: .delete,
                headers: [.authorization: "Bearer a token of the tests"]
            )
        }
        #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] != nil)
        #expect(await first.cache.storedData(for: request) == nil)
        try engine.start()
        // Nothing is loaded or stored meanwhile.
        #expect(await eventually { await second.cache.tiers(with: request).isEmpty })
    }

    @Test("keep their images, and go on sharing, while a key of URLs is added in front on one after the other")
    func addedKey() async throws {
        let engine = try Engine()
        let folder = FileManager.default.temporaryDirectory.appending(path: "engine-\(UInt64.random(in: 0 ... .max))")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let other = try pipeline(engine, folder + "/other")
        var server: ImagePipeline? = try pipeline(engine, folder + "/server")
        let isGone = { [weak cache = server?.cache] in cache == nil }
        let request = ImageRequest(try #require(URL(string: "https://origin.test/cat.png")))
        let purged = ImageRequest(try #require(URL(string: "https://purged.test/cat.png")))
        let data = try ServerFixture.png()
        let first = ImageRequest(try #require(URL(string: "https://first.test/cat.png")))
        // It notes beside its images which removals it has made, once it has heard of the engine, which it asks for images.
        #expect(
            await eventually {
                _ = try? await server?.cache.store(data, for: first)
                await server?.cache.flush()
                let files = try? FileManager.default.contentsOfDirectory(atPath: folder + "/server")
                return files?.contains { $0.hasPrefix("removals-") } == true
            }
        )
        _ = try await server?.cache.store(data, for: request)
        await server?.cache.flush()
        _ = try await other.cache.store(data, for: purged)
        server = nil
        #expect(await eventually { isGone() })
        let next = try pipeline(
            engine,
            folder + "/server",
            keys: String(repeating: "6b", count: 32) + "\n" + ServerFixture.key
        )
        #expect(
            await eventually {
                _ = try? await next.cache.removeAll(originalsBeginningWith: "https://purged.test/")
                return await other.cache.tiers(with: purged).isEmpty
            }
        )
        #expect(await next.cache.tiers(with: request).contains(.disk))
    }
}
