internal import HalcyonSystem

extension FleetEngine {
    /// Where an engine is, and how it is asked.
    public struct Configuration: Sendable {
        /// The arrangement of the nodes.
        enum Kind: Hashable, Sendable {
            case single
            case cluster
            /// The name of the set that the Sentinels watch.
            case sentinel(String)
        }

        let kind: Kind
        /// The node, the nodes of a cluster that are asked for the others, or the Sentinels.
        let seeds: [EngineAddress]
        /// `true` if connections are encrypted.
        public let isEncrypted: Bool
        /// The name of an ACL user; `nil`: the default user. Default: that of the URL.
        public var user: String?
        /// The user's password; `nil`: none is sent. Default: that of the URL.
        public var password: String?
        /// The number of the database; clusters have 0 alone. Default: that of the URL, or 0.
        public var database = 0
        /// The ACL user of the Sentinels. Default: none.
        public var sentinelUser: String?
        /// The password of the Sentinels. Default: none is sent.
        public var sentinelPassword: String?
        /// A file of certificate authorities, in PEM; `nil`: those of the system. Default: `nil`.
        public var certificateAuthorities: String?
        /// A file with the certificate of this client and those between it and its authority, in PEM. Default: none.
        public var clientCertificate: String?
        /// A file with the certificate's private key, in PEM. Default: none.
        public var clientKey: String?
        /// The time of a call, over all its tries. Default: 50 ms.
        public var deadline: Duration = .milliseconds(50)
        /// The time of a call that stores something, or removes it. Default: 500 ms.
        public var changeDeadline: Duration = .milliseconds(500)
        /// The time of connecting and signing in, which no call waits for longer than its own. Default: 2 s.
        public var connectionDeadline: Duration = .seconds(2)
        /// The number of connections that look-ups have to a node, and the number of look-ups at the same time; changes have
        /// two more. From 1 to 64; 4 to 8 serve 50,000 look-ups a second. Default: 4.
        public var connectionCount = 4 {
            didSet { connectionCount = min(max(connectionCount, 1), 64) }
        }

        /// Creates the configuration that a URL describes.
        ///
        /// - `redis://user:password@host:6379/0`: one engine. User, password, port (6379) and database (0) may be missing.
        /// - `redis://host1:7000,host2:7000,host3:7000`, or one of them with `?cluster`: a cluster, which the nodes are asked
        ///   for the others of.
        /// - `redis://host1:26379,host2:26379/0?sentinel=images`: the primary of the set "images", of which Sentinels are
        ///   asked; their port is 26379 if it is missing.
        ///
        /// `rediss` encrypts; `valkey` and `valkeys` are the same as `redis` and `rediss`. Names and passwords may have
        /// percent escapes.
        ///
        /// - Throws: ``FleetError/invalidURL(_:)``.
        public init(_ url: String) throws(FleetError) {
            let scheme = url.prefix { $0 != ":" }
            guard url.dropFirst(scheme.count).hasPrefix("://") else { throw .invalidURL("it has no ://") }
            switch scheme.lowercased() {
            case "redis", "valkey": isEncrypted = false
            case "rediss", "valkeys": isEncrypted = true
            case let scheme: throw .invalidURL("its scheme is \(scheme)")
            }
            var rest = url.dropFirst(scheme.count + 3)
            guard !rest.contains("#") else { throw .invalidURL("it has a fragment") }
            let query = rest.firstIndex(of: "?").map { rest[rest.index(after: $0)...] } ?? ""
            rest = rest.prefix { $0 != "?" }
            let path = rest.firstIndex(of: "/").map { rest[rest.index(after: $0)...] } ?? ""
            rest = rest.prefix { $0 != "/" }
            if let at = rest.lastIndex(of: "@") {
                let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                user = try Self.decoded(parts[0])
                if parts.count > 1 { password = try Self.decoded(parts[1]) }
                if user?.isEmpty == true { user = nil }
                rest = rest[rest.index(after: at)...]
            }
            if !path.isEmpty {
                guard let number = Int(path), 0..<1 << 16 ~= number else {
                    throw .invalidURL("its path is no database")
                }
                database = number
            }
            var isCluster = false
            var set: String?
            for item in query.split(separator: "&") {
                let parts = item.split(separator: "=", maxSplits: 1).map(String.init)
                switch (parts.first, parts.count) {
                case ("cluster", 1): isCluster = true
                case ("sentinel", 2): set = try Self.decoded(parts[1][...])
                default: throw .invalidURL("its query is neither cluster nor sentinel=NAME")
                }
            }
            let hosts = rest.split(separator: ",", omittingEmptySubsequences: false)
            let port = set == nil ? 6_379 : 26_379
            let seeds = hosts.compactMap { EngineAddress($0, port: port) }
            guard seeds.count == hosts.count else { throw .invalidURL("a host or its port is missing") }
            self.seeds = seeds
            if let set {
                guard !isCluster else { throw .invalidURL("it names a cluster and a Sentinel set") }
                kind = .sentinel(set)
            } else {
                kind = isCluster || seeds.count > 1 ? .cluster : .single
            }
            guard kind != .cluster || database == 0 else { throw .invalidURL("a cluster has database 0 alone") }
        }

        private static func decoded(_ text: Substring) throws(FleetError) -> String {
            guard let decoded = PercentEncoding.strictlyDecoded(text) else {
                throw .invalidURL("a percent escape is not valid")
            }
            return decoded
        }
    }
}

/// Its descriptions have no passwords.
extension FleetEngine.Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The scheme and the nodes of the URL, such as `redis://cache.example:6379`.
    public var description: String {
        (isEncrypted ? "rediss://" : "redis://") + seeds.map(\.description).joined(separator: ",")
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension FleetEngine.Configuration {
    private var encryption: EngineConnection.Encryption? {
        guard isEncrypted else { return nil }
        return EngineConnection.Encryption(
            authorities: certificateAuthorities,
            certificate: clientCertificate,
            privateKey: clientKey
        )
    }

    /// Returns a connection to a node, signed in and with its database selected. Blocks.
    ///
    /// - Parameter timeout: The time of connecting, and of signing in. Default: ``connectionDeadline``.
    /// - Throws: ``FleetError``.
    func connection(to address: EngineAddress, timeout: Duration? = nil) throws(FleetError) -> EngineConnection {
        let timeout = timeout ?? connectionDeadline
        let connection = try EngineConnection(to: address, encryption: encryption, timeout: timeout)
        var commands: [EngineCommand] = []
        if let password { commands.append(Self.signIn(user, password)) }
        if database != 0 { commands.append(EngineCommand("SELECT", "\(database)")) }
        var isWatched = false
        if case .sentinel = kind {
            isWatched = true
            commands.append(EngineCommand("ROLE"))
        }
        // The handshake of an encrypted connection ends with the first call, and belongs into the time of connecting.
        if isEncrypted, commands.isEmpty { commands.append(EngineCommand("PING")) }
        guard !commands.isEmpty else { return connection }
        let replies = try connection.call(commands, limits: .small, until: .now + timeout)
        try Self.check(replies, isSignedIn: password != nil)
        if isWatched, replies.last?.elements?.first?.text != "master" { throw .noPrimary }
        return connection
    }

    /// Returns a connection to a Sentinel. Blocks.
    ///
    /// - Throws: ``FleetError``.
    func connection(toSentinel address: EngineAddress, timeout: Duration) throws(FleetError) -> EngineConnection {
        let connection = try EngineConnection(to: address, encryption: encryption, timeout: timeout)
        if let password = sentinelPassword {
            let command = Self.signIn(sentinelUser, password)
            try Self.check(connection.call([command], limits: .small, until: .now + timeout), isSignedIn: true)
        }
        return connection
    }

    private static func signIn(_ user: String?, _ password: String) -> EngineCommand {
        user.map { EngineCommand("AUTH", $0, password) } ?? EngineCommand("AUTH", password)
    }

    /// Checks the replies of a new connection, the first of which is that of `AUTH` if it was signed in: of its error only the
    /// first word is told, as an engine that does not know the command repeats the password; one that passes with time does not.
    private static func check(_ replies: [EngineReply], isSignedIn: Bool) throws(FleetError) {
        for (index, reply) in replies.enumerated() {
            guard index == 0, isSignedIn, case .error(let text) = reply, !reply.isTransient else {
                _ = try reply.checked()
                continue
            }
            let word = text.prefix { $0 != " " }
            _ = try EngineReply.error("\(word) (to AUTH)").checked()
        }
    }
}
