import FoundationEssentials
import Glibc

/// `openssl s_server` on a port of 127.0.0.1: TLS with a certificate for 127.0.0.1 and localhost that nobody has signed.
///
/// Answers one connection after the other. "/" tells which certificate the client has shown.
final class CertifiedServer {
    /// What clients have to show.
    enum Demand {
        case nothing
        /// A certificate, if they have one.
        case optional(authority: String)
        case required(authority: String)
    }

    static let isAvailable = openssl != nil
    private static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first(where: isProgram)
    /// What "/" says to a client without a certificate.
    static let anonymous = "no client certificate available"

    struct Failure: Error {
        let arguments: [String]
        let status: Int32
    }

    let port: Int
    let folder: String
    var certificate: String { folder + "/certificate.pem" }
    private var process: pid_t = 0

    /// With `answer`, that is the answer to everything, headers included, at "/answer". With `relayedPort`, the first client
    /// speaks through TLS to what listens there, instead of HTTP to openssl. Returns when the port answers.
    init(
        demand: Demand = .nothing,
        options: [String] = [],
        answer: String? = nil,
        hasExpired: Bool = false,
        relaysTo relayedPort: Int? = nil
    ) throws {
        folder = "/tmp/halcyon-openssl-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        port = FreePort.find()
        if hasExpired {
            try Self.makeExpiredCertificate(in: folder, alternatives: "IP:127.0.0.1,DNS:localhost")
        } else {
            try Self.makeCertificate(in: folder, alternatives: "IP:127.0.0.1,DNS:localhost")
        }
        var arguments = [
            "s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key", folder + "/key.pem",
        ]
        var relay: Int32?
        defer { if let relay { close(relay) } }
        if let relayedPort {
            relay = try Self.connect(to: relayedPort)
            arguments.append("-quiet")
        } else if let answer {
            try Data(answer.utf8).write(to: URL(fileURLWithPath: folder + "/answer"))
            arguments.append("-HTTP")
        } else {
            arguments.append("-www")
        }
        switch demand {
        case .nothing: break
        case .optional(let authority): arguments += ["-verify", "1", "-CAfile", authority]
        case .required(let authority): arguments += ["-Verify", "1", "-verify_return_error", "-CAfile", authority]
        }
        process = try Self.spawn(arguments + options, folder: folder, relay: relay)
        try waitUntilListening()
    }

    deinit {
        if process > 0 {
            kill(process, SIGKILL)
            var status: Int32 = 0
            waitpid(process, &status, 0)
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    func url(_ host: String = "127.0.0.1", _ path: String = "/") -> URL {
        guard let url = URL(string: "https://\(host):\(port)\(path)") else { preconditionFailure("no host: \(host)") }
        return url
    }

    /// "certificate.pem" and "key.pem", signed by itself.
    static func makeCertificate(in folder: String, alternatives: String) throws {
        try run(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                "2",
                "-keyout", "key.pem", "-out", "certificate.pem", "-subj", "/CN=halcyon", "-addext",
                "subjectAltName=\(alternatives)",
            ],
            folder: folder
        )
    }

    /// The same, but valid in the first days of 2020 only, for which openssl has to play an authority.
    private static func makeExpiredCertificate(in folder: String, alternatives: String) throws {
        let configuration = """
            [ca]
            default_ca = expired
            [expired]
            database = index
            new_certs_dir = .
            rand_serial = yes
            default_md = sha256
            policy = any
            x509_extensions = server
            [any]
            commonName = supplied
            [server]
            basicConstraints = critical,CA:TRUE
            subjectAltName = \(alternatives)
            """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder + "/authority"))
        try Data().write(to: URL(fileURLWithPath: folder + "/index"))
        try run(
            [
                "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                "key.pem",
                "-out", "request.pem", "-subj", "/CN=halcyon",
            ],
            folder: folder
        )
        try run(
            [
                "ca", "-batch", "-selfsign", "-config", "authority", "-keyfile", "key.pem", "-in", "request.pem",
                "-out",
                "certificate.pem", "-notext", "-startdate", "20200101000000Z", "-enddate", "20200103000000Z",
            ],
            folder: folder
        )
    }

    static func run(_ arguments: [String], folder: String) throws {
        let process = try spawn(arguments, folder: folder)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        guard status == 0 else { throw Failure(arguments: arguments, status: status) }
    }

    private func waitUntilListening() throws {
        guard let status = ServerProcess.waitUntilListening(process, port: port) else { return }
        process = 0
        throw Failure(arguments: ["s_server"], status: status)
    }

    private static func isProgram(_ path: String) -> Bool {
        access(path, X_OK) == 0
    }

    private static func connect(to port: Int) throws -> Int32 {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            close(client)
            throw Failure(arguments: ["connect"], status: errno)
        }
        return client
    }

    private static func spawn(_ arguments: [String], folder: String, relay: Int32? = nil) throws -> pid_t {
        guard let openssl else { throw Failure(arguments: arguments, status: -1) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let relay {
            posix_spawn_file_actions_adddup2(&actions, relay, 0)
            posix_spawn_file_actions_adddup2(&actions, relay, 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // The shell goes to the folder and becomes openssl.
        let shell = "/bin/sh"
        var strings =
            ([shell, "-c", "cd \"$0\" && exec \"$@\"", folder, openssl] + arguments).map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, shell, &actions, nil, &strings, environ)
        guard status == 0 else { throw Failure(arguments: arguments, status: status) }
        return process
    }
}
