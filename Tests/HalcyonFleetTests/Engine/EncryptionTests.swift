import FoundationEssentials
import Glibc
import HalcyonSystem
import Testing

@testable import HalcyonFleet

/// An engine that speaks TLS, with an authority, a certificate and one for clients, made by `openssl`.
private final class EncryptedEngine: Sendable {
    let engine: TestEngine
    let port: Int
    private let folder: String

    /// - Parameter names: The names in the certificate.
    init(names: String, asksForCertificate: Bool = false) async throws {
        folder = "/tmp/halcyon-certificates-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        port = try TestEngine.freePort()
        let script = """
            cd '\(folder)' && exec >/dev/null 2>&1
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=authority &&
            for name in server client; do
                openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout $name.key -out $name.csr -subj /CN=$name &&
                printf 'subjectAltName=\(names)' >names &&
                openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out $name.pem || exit 1
            done
            """
        #expect(try await TestEngine.blocking { system(script) } == 0)
        engine = try await TestEngine([
            "--tls-port", "\(port)", "--tls-cert-file", "\(folder)/server.pem", "--tls-key-file",
            "\(folder)/server.key",
            "--tls-ca-cert-file", "\(folder)/ca.pem", "--tls-auth-clients", asksForCertificate ? "yes" : "no",
        ])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func client(host: String = "127.0.0.1", trusts: Bool = true, hasCertificate: Bool = false) throws -> FleetEngine {
        var configuration = try FleetEngine.Configuration("rediss://\(host):\(port)")
        configuration.deadline = .seconds(10)
        configuration.connectionDeadline = .seconds(10)
        if trusts { configuration.certificateAuthorities = "\(folder)/ca.pem" }
        if hasCertificate {
            configuration.clientCertificate = "\(folder)/client.pem"
            configuration.clientKey = "\(folder)/client.key"
        }
        return FleetEngine(configuration)
    }
}

@Suite(
    "An encrypted connection",
    .enabled(if: TestEngine.isInstalled, TestEngine.installationHint),
    .enabled(if: FleetEngine.canEncrypt, "libhiredis_ssl is not installed")
)
struct EncryptionTests {
    @Test("carries commands of any size, also many at once", arguments: ["127.0.0.1", "localhost"])
    func commands(host: String) async throws {
        let server = try await EncryptedEngine(names: "IP:127.0.0.1,DNS:localhost")
        let engine = try server.client(host: host)
        let body = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    let set = EngineCommand(["SET".utf8, "\(number)".utf8].map { Data($0) } + [body])
                    let replies = try await engine.perform(
                        [set, EngineCommand("GET", "\(number)")],
                        key: "\(number)",
                        limits: .init(byteCount: 2 << 20)
                    )
                    #expect(replies == [.status("OK"), .bytes(body)])
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("is not made to a server of another authority, or with another name")
    func strangers() async throws {
        let server = try await EncryptedEngine(names: "IP:127.0.0.1")
        try await server.client().ping()
        for stranger in [try server.client(trusts: false), try server.client(host: "localhost")] {
            let error = await #expect(throws: FleetError.self) { try await stranger.ping() }
            guard case .unreachable = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        let other = try await EncryptedEngine(names: "DNS:other.example")
        await #expect(throws: FleetError.self) { try await other.client().ping() }
    }

    @Test("shows the certificate of the client that the engine asks for")
    func clientCertificate() async throws {
        let server = try await EncryptedEngine(names: "IP:127.0.0.1", asksForCertificate: true)
        try await server.client(hasCertificate: true).ping()
        await #expect(throws: FleetError.self) { try await server.client().ping() }
    }

    @Test("is heard over by subscribers, and does not end the program when it is cut")
    func subscription() async throws {
        let server = try await EncryptedEngine(names: "IP:127.0.0.1")
        let engine = try server.client()
        let heard = Lock(0)
        _ = engine.channel.addListener(of: "a") { event in
            if case .message = event { heard.withLock { $0 += 1 } }
        }
        #expect(await eventually { engine.channel.isConnected })
        let isHeard = try await eventually {
            _ = try await engine.perform([EngineCommand("PUBLISH", "a", "1")], key: nil)
            return heard.withLock { $0 > 0 }
        }
        #expect(isHeard)
        server.engine.kill()
        for _ in 0..<3 { _ = try? await engine.ping() }
    }
}
