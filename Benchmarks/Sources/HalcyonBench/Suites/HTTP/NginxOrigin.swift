internal import FoundationEssentials
internal import Glibc

/// An nginx of its own: one worker, a temporary folder, free ports, by default one file of 30,000 bytes.
///
/// Unchecked: changed by ``start()`` and ``stop()`` alone, before and after the cases run.
final class NginxOrigin: @unchecked Sendable {
    private struct Running {
        let folder: TemporaryFolder
        let process: ChildProcess
        let ports: [HTTPVersion: UInt16]
    }

    static let bodySize = 30_000

    private let makeFiles: @Sendable (TemporaryFolder) throws -> Void
    private var running: Running?

    /// - Parameter makeFiles: Writes what is served into a folder. Default: the one file.
    init(
        makeFiles: @escaping @Sendable (TemporaryFolder) throws -> Void = { folder in
            var random = SeededRandom(seed: 30_000)
            try writeFile(folder.file("image.jpg"), random.bytes(NginxOrigin.bodySize))
        }
    ) {
        self.makeFiles = makeFiles
    }

    /// The URL of a file, while the server runs.
    func url(_ version: HTTPVersion, path: String = "image.jpg") throws -> String {
        guard let port = running?.ports[version] else { throw BenchmarkError("nginx does not run") }
        return "\(version == .http1 ? "http" : "https")://127.0.0.1:\(port)/\(path)"
    }

    /// The PEM file of the authority that the server's certificate is of: itself. `nil` where there is no TLS.
    func authorityFile(_ version: HTTPVersion) -> String? {
        version == .http1 ? nil : running?.folder.file("certificate.pem")
    }

    func start() throws {
        let folder = try TemporaryFolder()
        try makeFiles(folder)
        try ChildProcess.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                "-keyout", folder.file("key.pem"), "-out", folder.file("certificate.pem"),
            ]
        )
        let ports: [HTTPVersion: UInt16] = [.http1: try LoopbackPort.free(), .http2: try LoopbackPort.free()]
        try writeFile(folder.file("nginx.conf"), Self.configuration(folder, ports).utf8)
        let process = try ChildProcess(
            "nginx",
            ["-p", folder.path, "-e", folder.file("error.log"), "-c", folder.file("nginx.conf")]
        )
        running = Running(folder: folder, process: process, ports: ports)
        for port in ports.values {
            try LoopbackPort.waitUntilOpen(port)
        }
    }

    func stop() {
        running?.process.stop()
        running = nil
    }

    private static func configuration(_ folder: TemporaryFolder, _ ports: [HTTPVersion: UInt16]) -> String {
        // A worker of another user could not read the folder, which is this user's alone.
        let user = geteuid() == 0 ? "user root;" : ""
        let temporaryPaths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder.file($0));" }.joined(separator: "\n    ")
        return """
            \(user)
            daemon off;
            worker_processes 1;
            pid \(folder.file("nginx.pid"));
            events { worker_connections 512; }
            http {
                access_log off;
                default_type image/jpeg;
                sendfile on;
                tcp_nopush on;
                keepalive_requests 100000000;
                open_file_cache max=16;
                \(temporaryPaths)
                server {
                    listen 127.0.0.1:\(ports[.http1] ?? 0);
                    listen 127.0.0.1:\(ports[.http2] ?? 0) ssl http2;
                    ssl_certificate \(folder.file("certificate.pem"));
                    ssl_certificate_key \(folder.file("key.pem"));
                    root \(folder.path);
                }
            }
            """
    }
}
