import Dispatch
import FoundationEssentials
import Glibc
import Halcyon
import HalcyonTesting
import Logging
import ServiceLifecycle
import Testing

@testable import HalcyonServer
@testable import ServerURLs

@Suite("Connections of a server")
struct ConnectionTests {
    /// Runs a server on a free port, and calls a closure with a function that connects to it, and one that ends it
    /// gracefully.
    private func withServer(
        _ change: (inout ServerSettings) throws -> Void = { _ in },
        _ body:
            @escaping @Sendable (
                ServerFixture, _ connect: @Sendable () throws -> RawConnection, _ stop: @Sendable () async -> Void
            )
            async throws -> Void
    ) async throws {
        let fixture = try await ServerFixture {
            $0.port = 0
            try change(&$0)
        }
        let (ports, port) = AsyncStream<Int>.makeStream()
        let application = fixture.server.application { port.yield($0) }
        let group = ServiceGroup(
            configuration: .init(
                services: [application],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            tasks.addTask {
                guard let port = await ports.first(where: { _ in true }) else { return }
                defer { Task { await group.triggerGracefulShutdown() } }
                try await body(fixture, { try RawConnection(port: port) }, { await group.triggerGracefulShutdown() })
            }
            try await tasks.waitForAll()
        }
    }

    @Test("A client that sends its request too slowly is cut off")
    func slowRequest() async throws {
        try await withServer {
            $0.limits.idleSeconds = 1
        } _: { _, connect, _ in
            let connection = try connect()
            connection.send("GET /health HTTP/1.1\r\nHost: a")
            #expect(await connection.received() == "")
        }
    }

    @Test(
        "A client that does not speak HTTP is cut off",
        arguments: [
            "\u{1}\u{2}\u{3}\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
            "GET /health HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 100_000))\r\n\r\n",
        ]
    )
    func malformedRequest(_ text: String) async throws {
        try await withServer {
            $0.limits.idleSeconds = 1
        } _: { _, connect, _ in
            let connection = try connect()
            connection.send(text)
            // Closed, with an error or without a word.
            #expect(await !connection.received().contains(" 200 "))
            let other = try connect()
            other.send("GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(await other.received().contains(" 200 "))
        }
    }

    @Test(
        "A request whose host or framing is not certain is refused, and its connection closed",
        arguments: [
            "", "Host: a\r\nHost: a\r\n", "Host: a b\r\n", "Host: u@a\r\n", "Host: a\r\nTransfer-Encoding: gzip\r\n",
            "Host: a\r\nTransfer-Encoding: gzip, chunked\r\n", "Host: a\r\nTransfer-Encoding: identity\r\n",
            "Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            "Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n",
            "Host: a\r\nContent-Length: 0\r\nContent-Length: 5\r\n",
        ]
    )
    func uncertainFraming(_ fields: String) async throws {
        try await withServer { _, connect, _ in
            let connection = try connect()
            // The answer to the request before comes first, and none to the one behind.
            let whole = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
            connection.send(whole + "GET /health HTTP/1.1\r\n\(fields)\r\n0\r\n\r\n" + whole)
            let answers = await connection.received().components(separatedBy: "HTTP/1.1 ").dropFirst()
            #expect(answers.map { $0.prefix(3) } == ["200", "400"])
        }
    }

    @Test(
        "A connection that the client does not keep, and one of HTTP/1.0, is closed after the answer",
        arguments: [
            "GET /health HTTP/1.0\r\n\r\n", "GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
            "GET /health HTTP/1.1\r\nHost: a\r\nConnection: TE, Close\r\n\r\n",
        ]
    )
    func closing(_ request: String) async throws {
        try await withServer { _, connect, _ in
            let connection = try connect()
            connection.send(request)
            #expect(await connection.received().contains(" 200 "))
        }
    }

    @Test("An empty host, a port and a body in chunks are those of a request as others")
    func certainFraming() async throws {
        try await withServer { _, connect, _ in
            let connection = try connect()
            connection.send(
                "GET /health HTTP/1.1\r\nHost:\r\n\r\nGET /health HTTP/1.1\r\nHost: \t[::1]:8080 \t\r\n"
                    + "Transfer-Encoding: Chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            )
            let answers = await connection.received().components(separatedBy: "HTTP/1.1 ").dropFirst()
            #expect(answers.map { $0.prefix(3) } == ["200", "200"])
        }
    }

    @Test("The transfer of a client that leaves is cancelled")
    func leaving() async throws {
        try await withServer { fixture, connect, _ in
            let connection = try connect()
            try connection.send("GET \(fixture.path(["w:20"])) HTTP/1.1\r\nHost: a\r\n\r\n")
            let transfer = await fixture.transport.nextTransfer()
            connection.close()
            await transfer.waitUntilCancelled()
            #expect(fixture.transport.startedCount == 1)
        }
    }

    @Test("Requests that a client sends before it has the first answer are answered, over one connection")
    func pipelining() async throws {
        try await withServer { fixture, connect, _ in
            let connection = try connect()
            let image = try fixture.path(["w:20", "f:png"])
            connection.send(
                "GET \(image) HTTP/1.1\r\nHost: a\r\n\r\n"
                    + "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
                    + "GET \(image) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            )
            let transfer = await fixture.transport.nextTransfer()
            transfer.answer(.init(body: try ServerFixture.png()))
            let answers = await connection.received().components(separatedBy: "HTTP/1.1 ").dropFirst()
            #expect(answers.map { $0.prefix(3) } == ["200", "200", "200"])
        }
    }

    @Test("Nothing is loaded for the later requests of a client that has left")
    func pipelinedRequestsOfOneThatLeft() async throws {
        try await withServer { fixture, connect, _ in
            let connection = try connect()
            let first = "GET \(try fixture.path(["w:20"])) HTTP/1.1\r\nHost: a\r\n\r\n"
            let second = "GET \(try fixture.path(["w:20"], "https://origin.test/dog.png")) HTTP/1.1\r\nHost: a\r\n\r\n"
            connection.send(first + second)
            let transfer = await fixture.transport.nextTransfer()
            connection.finishSending()
            await transfer.waitUntilCancelled()
            let answers = await connection.received().components(separatedBy: "HTTP/1.1 ").dropFirst()
            #expect(answers.map { $0.prefix(3) } == ["499", "499"])
            #expect(fixture.transport.startedCount == 1)
        }
    }

    @Test("A graceful stop finishes what runs")
    func graceful() async throws {
        try await withServer { fixture, connect, stop in
            let connection = try connect()
            try connection.send("GET \(fixture.path(["w:20", "f:png"])) HTTP/1.1\r\nHost: a\r\n\r\n")
            let transfer = await fixture.transport.nextTransfer()
            await stop()
            transfer.answer(.init(body: try ServerFixture.png()))
            #expect(await connection.received().contains(" 200 "))
        }
    }
}

/// A connection without a client library.
final class RawConnection: Sendable {
    private let socket: Int32

    init(port: Int) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            // The address of IPv4 is read through the type of any address.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        try #require(result == 0)
    }

    deinit { Glibc.close(socket) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Ends the client's side, whose answers can still be read.
    func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

    func close() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Returns everything up to the end of the connection.
    func received() async -> String {
        await withCheckedContinuation { continuation in
            // Blocks a thread of its own.
            DispatchQueue(label: "connection").async { [socket] in
                var all: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = recv(socket, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    all += buffer[..<count]
                }
                continuation.resume(returning: String(decoding: all, as: UTF8.self))
            }
        }
    }
}
