import FoundationEssentials
import HTTPTypes
import HalcyonStore
import HalcyonSystem
import HalcyonTesting

@testable import HalcyonHTTP

/// A server that answers each request in turn as told, and loaders that share a folder for interrupted bodies.
final class ResumeFixture: Sendable {
    typealias Answer = @Sendable (OriginServer.Request) -> OriginServer.Response

    static let body = pattern(1 << 20)
    static let tag: HTTPFields = [.eTag: "\"v1\"", .contentType: "image/png"]

    let folder: ScratchFolder
    let server: OriginServer
    let transport = CurlTransport()

    /// - Parameter answers: One a request; the last for all that follow.
    init(_ answers: [Answer], folder: ScratchFolder? = nil) throws {
        self.folder = try folder ?? ScratchFolder()
        let count = Lock(0)
        server = try OriginServer { request in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return answers[min(number, answers.count - 1)](request)
        }
    }

    deinit {
        transport.shutdown()
        server.stop()
    }

    var partialFiles: [String] { folder.files.filter { $0.hasPrefix("partial/") } }

    /// The `Range` of each request so far.
    var ranges: [String?] { server.requests.map { $0.headers[.range] } }

    func store(_ adjust: (inout PartialBodyStore.Configuration) -> Void = { _ in }) -> PartialBodyStore {
        var configuration = PartialBodyStore.Configuration(folder: folder.path + "/partial")
        configuration.minimumBytes = 1
        adjust(&configuration)
        return PartialBodyStore(configuration)
    }

    /// Loads with a loader of its own, as after a restart.
    func load(
        threshold: Int = 64 << 10,
        store: PartialBodyStore? = nil,
        _ adjust: (inout TransferRequest) -> Void = { _ in },
        report: @escaping @Sendable (BodyProgress) -> Void = { _ in }
    ) async throws -> HTTPResponseBody {
        var configuration = BodyLoader.Configuration()
        configuration.memoryThreshold = threshold
        configuration.temporaryFolder = folder.path
        configuration.partialBodies = store ?? self.store()
        var request = TransferRequest.patient(url: server.url("/image"))
        adjust(&request)
        return try await BodyLoader(transport: transport, configuration: configuration).load(request, report: report)
    }

    /// Loads what is going to be interrupted; returns why it ended.
    @discardableResult
    func interrupt(threshold: Int = 64 << 10, store: PartialBodyStore? = nil) async -> TransferError? {
        do {
            _ = try await load(threshold: threshold, store: store)
            return nil
        } catch {
            return error as? TransferError
        }
    }

    /// The first bytes of a whole response; then, once the gate is open, the connection ends.
    static func cut(
        _ count: Int,
        of body: [UInt8] = body,
        headers: HTTPFields = tag,
        isChunked: Bool = false,
        at gate: Gate? = nil
    ) -> Answer {
        let gate = gate ?? openGate
        var headers = headers
        headers[isChunked ? .transferEncoding : .contentLength] = isChunked ? "chunked" : "\(body.count)"
        let part = Array(body.prefix(count))
        return { [headers] _ in
            .scripted(
                headers: headers,
                .bytes(isChunked ? OriginServer.Response.chunk(part) : part),
                .wait(gate),
                .close
            )
        }
    }

    private static let openGate: Gate = {
        let gate = Gate()
        gate.open()
        return gate
    }()

    /// The same to everyone.
    static func answer(_ status: Int = 200, headers: HTTPFields = [:], body: [UInt8]) -> Answer {
        { _ in .init(status, headers: headers, body: body) }
    }

    /// What a server that knows ranges answers; after `count` bytes, if given, the connection ends.
    static func ranged(_ body: [UInt8] = body, tag: String = "\"v1\"", cutAfter count: Int? = nil) -> Answer {
        { request in
            let whole = OriginServer.Response(headers: [.eTag: tag, .contentType: "image/png"], body: body)
            guard let range = request.headers[.range], request.headers[.ifRange] == tag,
                let first = Int(range.dropFirst("bytes=".count).dropLast())
            else { return whole }
            guard first < body.count else {
                return .init(416, headers: [.contentRange: "bytes */\(body.count)"], body: [1, 2, 3])
            }
            let headers: HTTPFields = [
                .eTag: tag, .contentRange: "bytes \(first)-\(body.count - 1)/\(body.count)",
                .contentLength: "\(body.count - first)",
            ]
            let rest = Array(body[first...])
            guard let count else { return .init(206, headers: headers, body: rest) }
            return .scripted(206, headers: headers, .bytes(Array(rest.prefix(count))), .close)
        }
    }
}
