internal import ArgumentParser
internal import FoundationEssentials
internal import HTTPTypes
internal import Halcyon
internal import HalcyonSystem

/// The options for the network.
struct NetworkArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Try this many further times what may work then, with growing waits, and after a server's Retry-After of at most 10 minutes, in which it is asked for nothing.",
            valueName: "N"
        )
    )
    var retries = 2

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Give up a connection, or a server that stays silent, after this time; a transfer goes on for as long as bytes come. (default: 15)",
            valueName: "SECONDS"
        )
    )
    var timeout: Double?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Send this header field; may be repeated. What is cached answers all requests but for the fields that its Vary names.",
            valueName: "NAME: VALUE"
        ),
        transform: HeaderArgument.init
    )
    var header: [HeaderArgument] = []

    @Option(name: .long, help: ArgumentHelp("Send this User-Agent. (default: Halcyon)", valueName: "TEXT"))
    var userAgent: String?

    @Option(name: .long, help: ArgumentHelp("Send this Referer.", valueName: "URL"))
    var referer: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Send the cookies of this file, in Netscape's format as curl, wget and browsers' exports have it, and keep there those that servers set; a file of anything else is refused. Without it, cookies go along redirects alone.",
            valueName: "FILE"
        ),
        completion: .file(),
        transform: FileOutput.path
    )
    var cookies: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Connect through this proxy: http, https or socks5; “none” for no proxy. (default: as http_proxy, https_proxy, all_proxy and no_proxy say)",
            valueName: "URL"
        ),
        transform: ProxyArgument.init
    )
    var proxy: ProxyArgument?

    @Option(
        name: .long,
        help: ArgumentHelp("Send each host at most this many requests in a time: 10/s, 90/m, 500/h.", valueName: "N/s")
    )
    var rate: RateArgument?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Receive at most this many bytes a second in all; k, M and G are allowed.",
            valueName: "BYTES"
        )
    )
    var limitRate: ByteCountArgument?

    func validate() throws {
        guard (0...99).contains(retries) else { throw ValidationError("--retries must be between 0 and 99.") }
        if let timeout, !(timeout > 0 && timeout <= 86_400) {
            throw ValidationError("--timeout must be more than 0 and at most 86400 seconds.")
        }
        if let limitRate, limitRate.byteCount < 1 { throw ValidationError("--limit-rate must be at least 1.") }
        try proxy?.validate()
        for text in [userAgent, referer].compactMap(\.self) where !HTTPField.isValidValue(text) {
            throw ValidationError("“\(text)” is no value of a header field.")
        }
    }

    /// The fields that every request has.
    private var fields: HTTPFields {
        var fields = HTTPFields()
        for header in header { fields.append(HTTPField(name: header.name, value: header.value)) }
        if let referer { fields[.referer] = referer }
        return fields
    }

    /// Digits that tell the requests to servers from those with other fields or cookies, which may get other images; `nil`
    /// where neither is named. A file of cookies is told by its path, as in the cache: its content changes with each run.
    var identity: String? {
        var fields = fields
        if let userAgent { fields[.userAgent] = userAgent }
        func lines(_ fields: [HTTPField]) -> [String] { fields.map { "\($0.name.canonicalName): \($0.value)" } }
        var identity = lines(fields.filter { !$0.name.isCredential })
        if let cookies { identity.append("cookies \(FilePath.absolute(cookies))") }
        let secrets = lines(fields.filter(\.name.isCredential))
        if !secrets.isEmpty {
            // With the key of this installation: tried against a plain digest, a weak password would be found.
            var request = TransferRequest(url: URL(filePath: "/"))
            request.credential = .bearer(secrets.joined(separator: "\n"))
            identity.append(CredentialDigester.installation.digest(of: request) ?? "")
        }
        return identity.isEmpty ? nil : SHA256.hexadecimal(of: Array(identity.joined(separator: "\n").utf8))
    }

    /// Returns the transport of a run.
    ///
    /// - Parameter concurrency: The number of loads at a time, so many of which may go to one host.
    /// - Throws: `CookieFileError` for a file of cookies that cannot be used.
    func transport(concurrency: Int) throws -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.maximumConcurrentTransfers = max(64, concurrency)
        // As many as a person asks for, beyond those of a browser.
        configuration.maximumTransfersPerHost = max(
            configuration.maximumTransfersPerHost,
            concurrency > 8 ? concurrency : 0
        )
        configuration.cookies = try cookies.map { try CookieFile($0) }
        configuration.maximumIdleConnections = min(configuration.maximumIdleConnections, OpenFileLimit.mostLoads)
        if let userAgent { configuration.userAgent = userAgent }
        if let policy = proxy?.policy { configuration.proxies = policy }
        return CurlTransport(configuration: configuration)
    }

    /// Returns the downloader of a run.
    ///
    /// - Parameters:
    ///   - partialFolder: Where interrupted bodies are kept for the next attempt, and the next run.
    ///   - failures: What says which hosts are not to be asked for a while.
    func downloader(
        over transport: any HTTPTransport,
        partialFolder: String,
        _ failures: HostFailures
    ) -> ImageDownloader {
        let transport = PacedTransport(
            transport,
            hostRate: rate?.perSecond,
            byteRate: limitRate?.byteCount,
            failures: failures
        )
        var downloading = ImageDownloader.Configuration()
        downloading.partialBodies = PartialBodyStore(.init(folder: partialFolder))
        return ImageDownloader(transport: transport, configuration: downloading)
    }

    /// Returns the options of each load.
    func options(_ failures: HostFailures) -> [ImageOption] {
        var options: [ImageOption] = [.retry(RunRetries(count: retries, failures: failures))]
        var timeouts = timeout.map { TransferTimeouts.download(.seconds($0)) } ?? .standard
        // As long as bytes come, however slowly: nobody waits at a screen.
        timeouts.total = .seconds(86_400)
        options.append(.timeouts(timeouts))
        if !header.isEmpty || referer != nil { options.append(.headers(fields)) }
        return options
    }
}

/// A header field as "Name: value".
struct HeaderArgument: Sendable, Hashable {
    let name: HTTPField.Name
    let value: String

    @Sendable init(_ text: String) throws {
        guard let colon = text.firstIndex(of: ":"), let name = HTTPField.Name(String(text[..<colon])) else {
            throw ValidationError("“\(text)” is no header field; write “Name: value”.")
        }
        let value = String(text[text.index(after: colon)...]).trimmingBlanks
        guard HTTPField.isValidValue(value) else { throw ValidationError("“\(text)” is no header field.") }
        self.name = name
        self.value = value
    }
}

/// A proxy as a URL, or "none".
struct ProxyArgument: Sendable {
    /// `nil` for one that is not understood.
    let policy: ProxyPolicy?
    private let shownText: String

    /// Never fails: the parser would show the password.
    @Sendable init(_ text: String) {
        shownText = text.withoutPassword
        policy = text == "none" ? ProxyPolicy.none : Proxy(text).map { .proxy($0) }
    }

    func validate() throws {
        guard policy == nil else { return }
        throw ValidationError("“\(shownText)” is no proxy; write http://HOST:PORT or socks5://HOST:PORT.")
    }
}

/// A number of requests in a time, as "10/s".
struct RateArgument: ExpressibleByArgument, Sendable, Hashable {
    let perSecond: Double

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        let seconds = ["s": 1.0, "m": 60, "h": 3600]
        guard (1...2).contains(parts.count), let count = Double(parts[0]), count > 0, count <= 1e6,
            let time = seconds[parts.count == 2 ? parts[1].lowercased() : "s"]
        else { return nil }
        // A request a year at least: the time between two is counted in nanoseconds.
        guard count / time >= 1 / (365 * 86_400) else { return nil }
        perSecond = count / time
    }
}

extension String {
    /// The text without blanks and tabs at its ends.
    fileprivate var trimmingBlanks: String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
