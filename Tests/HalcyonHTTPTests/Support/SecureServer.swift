import FoundationEssentials
import Glibc

/// An nginx of the test's own, with TLS, HTTP/2 and a certificate that nobody has signed, on a port of 127.0.0.1.
final class SecureServer {
    /// Whether nginx and openssl are installed.
    static let isAvailable = nginx != nil && openssl != nil
    private static let nginx = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"].first(where: isProgram)
    private static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first(where: isProgram)

    let port: Int
    let folder: String
    var certificate: String { folder + "/certificate.pem" }
    private let setting: Setting
    private var process: pid_t = 0

    /// What is not the same for all tests.
    struct Setting {
        var speaksHTTP2 = true
        /// A process that serves and one that reloads it (``SecureServer/reload()``), not both in one.
        var hasMaster = false
        /// More of nginx's configuration, inside `server`.
        var directives = ""
    }

    struct Failure: Error {
        let program: String
        let status: Int32
    }

    /// Serves `body` at "/file"; returns when the port answers.
    init(body: Data = Data(), _ setting: Setting = Setting()) throws {
        self.setting = setting
        guard let nginx = Self.nginx, let openssl = Self.openssl else { throw Failure(program: "nginx", status: -1) }
        folder = "/tmp/halcyon-nginx-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder + "/html", withIntermediateDirectories: true)
        port = FreePort.find()
        try body.write(to: URL(fileURLWithPath: folder + "/html/file"))
        try Self.run([
            openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2",
            "-keyout", folder + "/key.pem", "-out", certificate, "-subj", "/CN=127.0.0.1", "-addext",
            "subjectAltName=IP:127.0.0.1",
        ])
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder + "/nginx.conf"))
        // Without a daemon of its own: the process started is the server.
        process = try Self.spawn([nginx, "-p", folder, "-e", "stderr", "-c", "nginx.conf"])
        try waitUntilListening()
    }

    deinit {
        if process > 0 {
            // Not SIGTERM: threads of libdispatch block it, and what they spawn inherits that. The master waits for signals
            // with all of them open, and has others to end.
            kill(process, setting.hasMaster ? SIGTERM : SIGKILL)
            var status: Int32 = 0
            waitpid(process, &status, 0)
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Has others take over: those who serve now take no new connection, and end once they have nothing more to do.
    func reload() {
        precondition(setting.hasMaster)
        kill(process, SIGHUP)
    }

    private var configuration: String {
        """
        daemon off; master_process \(setting.hasMaster ? "on" : "off"); pid \(folder)/pid;
        \(setting.hasMaster && geteuid() == 0 ? "user root;" : "")
        events { worker_connections 256; }
        http {
            access_log off;
            client_body_temp_path \(folder)/a; proxy_temp_path \(folder)/b; fastcgi_temp_path \(folder)/c;
            uwsgi_temp_path \(folder)/d; scgi_temp_path \(folder)/e;
            server {
                listen 127.0.0.1:\(port) ssl \(setting.speaksHTTP2 ? "http2" : "");
                ssl_certificate \(folder)/certificate.pem; ssl_certificate_key \(folder)/key.pem;
                root \(folder)/html;
                \(setting.directives)
            }
        }
        """
    }

    private func waitUntilListening() throws {
        guard let status = ServerProcess.waitUntilListening(process, port: port) else { return }
        process = 0
        throw Failure(program: "nginx", status: status)
    }

    private static func isProgram(_ path: String) -> Bool {
        access(path, X_OK) == 0
    }

    private static func run(_ arguments: [String]) throws {
        let process = try spawn(arguments)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        guard status == 0 else { throw Failure(program: arguments[0], status: status) }
    }

    private static func spawn(_ arguments: [String]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var strings = arguments.map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, arguments[0], &actions, nil, &strings, environ)
        guard status == 0 else { throw Failure(program: arguments[0], status: status) }
        return process
    }
}
