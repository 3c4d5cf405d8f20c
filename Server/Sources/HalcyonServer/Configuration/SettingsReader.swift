internal import Configuration
internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import HalcyonFleet
internal import ServerURLs

/// An error in the settings, for the person who starts the server. It never has a secret in it.
package struct SettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The sentence.
    package let description: String

    /// An error with this sentence.
    package init(_ description: String) {
        self.description = description
    }

    /// Returns the reason why a file could not be read or written, as the system says it.
    package static func reason(_ error: any Error) -> String {
        guard let error = error as? CocoaError else { return "\(error)" }
        guard let error = error.underlying as? POSIXError else { return "it is no text in UTF-8" }
        return String(cString: strerror(error.code.rawValue))
    }
}

extension ServerSettings {
    /// The names of all settings, as the reference page has them. A flag is `--name`, a variable `HALCYON_NAME`
    /// with underscores.
    package static let names: Set<String> = [
        "host", "port", "key-file", "allow-unsigned", "presets", "presets-only", "root-dialect", "imgproxy-key-file",
        "imgproxy-signature-size", "imgproxy-allow-unsigned", "thumbor-key-file", "thumbor-allow-unsigned", "negotiate",
        "allowed-sources", "base-url", "local-root", "allowed-addresses", "origin-headers-file", "cache-folder",
        "cache-bytes",
        "memory-bytes", "engine", "engine-password-file", "engine-key-file", "max-source-bytes", "max-source-pixels",
        "max-frames", "max-output-bytes",
        "max-output-side",
        "request-seconds", "concurrency", "queue", "idle-seconds", "connections", "formats", "qualities", "widths",
        "watermark-file", "error-image-file", "default-max-age", "partial-max-age", "stale-while-revalidate",
        "stale-if-error", "allow-origin", "purge-token-file", "metrics", "page", "isolation",
    ]

    /// The settings whose values are secret, and come from a file or the environment alone: `HALCYON_KEY` holds
    /// what the file that `key-file` names holds.
    package static let secretNames: Set<String> = [
        "key", "imgproxy-key", "thumbor-key", "purge-token", "origin-headers", "engine-password", "engine-key",
    ]

    /// Reads the settings.
    ///
    /// - Parameters:
    ///   - arguments: The flags, such as `--port 8080` and `--page`, without the program's name.
    ///   - environment: The variables of the process.
    ///   - needsKey: `false` for a server that makes a key of URLs in each run: settings without any key are no error then, but
    ///     an engine without a key of its own is. Default: `true`.
    ///   - readFile: Returns the text of a file. Default: reads it.
    /// - Throws: ``SettingsError``.
    package init(
        arguments: [String],
        environment: [String: String],
        needsKey: Bool = true,
        readFile: ((String) throws -> String)? = nil
    ) throws {
        self.init()
        let readFile = readFile ?? { try String(contentsOfFile: $0, encoding: .utf8) }
        let flags = try Self.flags(arguments)
        var providers: [any ConfigProvider] = [
            EnvironmentVariablesProvider(environmentVariables: flags),
            EnvironmentVariablesProvider(environmentVariables: Self.variables(environment)),
        ]
        if let path = flags["CONFIG"] ?? environment["HALCYON_CONFIG"] {
            providers.append(EnvironmentVariablesProvider(environmentVariables: try Self.json(path, readFile)))
        }
        let reader = SettingsReader(
            config: ConfigReader(providers: providers),
            environment: environment,
            readFile: readFile
        )
        try readAddresses(reader)
        try readURLs(reader, needsKey: needsKey)
        try readSources(reader)
        try readLimits(reader)
        try readAnswers(reader)
        try checkPresets(needsKey: needsKey)
        let known = Self.names.union(Self.secretNames).union(["config"]).map { "HALCYON_" + Self.variable($0) }
        unknownVariables = environment.keys.filter { $0.hasPrefix("HALCYON_") && !known.contains($0) }.sorted()
    }

    /// Returns flags by the names of variables.
    private static func flags(_ arguments: [String]) throws -> [String: String] {
        var values: [String: String] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else { throw SettingsError("“\(argument)” is no option; see --help.") }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if secretNames.contains(name) {
                throw SettingsError("--\(name) would show a secret to every user of this machine; use --\(name)-file.")
            }
            guard names.contains(name) || name == "config" else {
                throw SettingsError("There is no option --\(name); see --help.")
            }
            if parts.count == 2 {
                values[variable(name)] = String(parts[1])
            } else if let value = rest.first, !value.hasPrefix("--") {
                values[variable(name)] = value
                rest.removeFirst()
            } else {
                values[variable(name)] = "true"
            }
        }
        return values
    }

    /// Returns the variables without their prefix, and without secrets, which are read apart.
    private static func variables(_ environment: [String: String]) -> [String: String] {
        var values: [String: String] = [:]
        for name in names { values[variable(name)] = environment["HALCYON_" + variable(name)] }
        return values
    }

    /// Returns the values of a file, by the names of variables.
    private static func json(_ path: String, _ readFile: (String) throws -> String) throws -> [String: String] {
        let text: String
        do {
            text = try readFile(path)
        } catch {
            throw SettingsError("The file of “config” cannot be read, \(path): \(SettingsError.reason(error))")
        }
        let object: [String: JSONValue]
        do {
            object = try JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            guard let name = context.codingPath.first?.stringValue else {
                throw SettingsError("“config” is not a JSON object of settings: \(path)")
            }
            throw SettingsError(
                "\(path): “\(name)” has a value of the wrong type; settings are texts, integers, true or false, lists and tables."
            )
        } catch {
            throw SettingsError("“config” is not a JSON object of settings: \(path)")
        }
        var values: [String: String] = [:]
        for (name, value) in object {
            if secretNames.contains(name) {
                throw SettingsError(
                    "\(path): “\(name)” is a secret; put it into a file of its own, and its path into “\(name)-file”."
                )
            }
            guard names.contains(name) else { throw SettingsError("\(path): there is no setting “\(name)”.") }
            values[variable(name)] = value.text
        }
        return values
    }

    private static func variable(_ name: String) -> String { name.replacing("-", with: "_").uppercased() }
}

/// A value in the file of settings.
private enum JSONValue: Decodable {
    case text(String)
    case list([String])
    case table([String: String])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .text(value ? "true" : "false")
        } else if let value = try? container.decode(Int.self) {
            self = .text("\(value)")
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([Int].self) {
            self = .list(value.map(String.init))
        } else if let value = try? container.decode([String].self) {
            self = .list(value)
        } else if let value = try? container.decode([String: Int].self) {
            self = .table(value.mapValues(String.init))
        } else {
            self = .table(try container.decode([String: String].self))
        }
    }

    /// The value as a flag has it.
    var text: String {
        switch self {
        case .text(let text): text
        case .list(let list): list.joined(separator: ",")
        case .table(let table): table.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ";")
        }
    }
}

/// Reads values of settings; each error names the setting.
private struct SettingsReader {
    let config: ConfigReader
    let environment: [String: String]
    let readFile: (String) throws -> String

    func text(_ name: String) -> String? {
        // The keys of the providers are words with underscores.
        config.string(forKey: ConfigKey([name.replacing("-", with: "_")])).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns a path, which is that from the working folder where it is relative.
    func path(_ name: String) -> String? {
        text(name).map { $0.hasPrefix("/") ? $0 : FileManager.default.currentDirectoryPath + "/" + $0 }
    }

    func integer(_ name: String, _ range: ClosedRange<Int>) throws -> Int? {
        guard let text = text(name) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw SettingsError(
                "“\(name)” takes an integer from \(range.lowerBound) to \(range.upperBound), not “\(text)”."
            )
        }
        return value
    }

    func flag(_ name: String) throws -> Bool? {
        switch text(name) {
        case nil: return nil
        case "true", "1", "yes", "on": return true
        case "false", "0", "no", "off": return false
        case let text?: throw SettingsError("“\(name)” takes true or false, not “\(text)”.")
        }
    }

    func list(_ name: String) -> [String]? {
        text(name).map { $0.split(separator: ",").map { String($0.trimmed) } }
    }

    /// Returns the names of the formats to make, where they are set.
    func formats() throws -> [String]? {
        try list("formats")?.map { name in
            let name = name == "jpg" ? "jpeg" : name
            guard ImageCodecs.server.canEncode(ImageFormat(rawValue: name)) else {
                throw SettingsError("“formats” takes formats that this server makes, not “\(name)”.")
            }
            return name
        }
    }

    func table(_ name: String) throws -> [String: String] {
        var table: [String: String] = [:]
        for entry in (text(name) ?? "").split(separator: ";") {
            let parts = entry.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else {
                throw SettingsError("“\(name)” takes entries as in “a=b;c=d”, not “\(entry)”.")
            }
            let key = String(parts[0].trimmed)
            guard table.updateValue(String(parts[1].trimmed), forKey: key) == nil else {
                throw SettingsError("“\(name)” has “\(key)” twice.")
            }
        }
        return table
    }

    /// Returns what a file, or a variable of the environment, keeps secret; `nil` if neither is set.
    func secret(_ name: String) throws -> String? {
        if let path = text(name + "-file") {
            do {
                return try readFile(path)
            } catch {
                throw SettingsError(
                    "The file of “\(name)-file” cannot be read, \(path): \(SettingsError.reason(error))"
                )
            }
        }
        return environment["HALCYON_" + name.replacing("-", with: "_").uppercased()].flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension Substring {
    /// Without spaces at both ends.
    fileprivate var trimmed: Substring {
        var text = drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }
}

extension ServerSettings {
    private mutating func readAddresses(_ reader: SettingsReader) throws {
        host = reader.text("host") ?? host
        port = try reader.integer("port", 0...65_535) ?? port
        cacheFolder = reader.path("cache-folder")
        cacheBytes = try reader.integer("cache-bytes", 0...Int.max) ?? cacheBytes
        memoryBytes = try reader.integer("memory-bytes", 0...Int.max) ?? memoryBytes
        try readEngine(reader)
        allowedOrigin = reader.text("allow-origin")
        purgeToken = try reader.secret("purge-token").map {
            Secret(String(Substring($0.filter { !$0.isNewline }).trimmed))
        }
        if let token = purgeToken?.text, token.utf8.count < 16 {
            throw SettingsError("“purge-token” has fewer than 16 characters. Make one with: openssl rand -hex 32")
        }
        servesMetrics = try reader.flag("metrics") ?? servesMetrics
        servesPage = try reader.flag("page") ?? servesPage
        try readIsolation(reader)
    }

    private mutating func readIsolation(_ reader: SettingsReader) throws {
        switch reader.text("isolation") {
        case nil: break
        case "required": isolation = Self.standardIsolation
        case "preferred": isolation = .preferred
        case "none": isolation = .none
        case .some(let text): throw SettingsError("“isolation” takes required, preferred or none, not “\(text)”.")
        }
    }

    private mutating func readEngine(_ reader: SettingsReader) throws {
        let line = { (text: String) in String(Substring(text.filter { !$0.isNewline }).trimmed) }
        engineKey = try reader.secret("engine-key").map { Secret(line($0)) }
        guard let url = reader.text("engine") else { return }
        do {
            engine = try FleetEngine.Configuration(url)
        } catch {
            throw SettingsError("“engine” takes a URL such as redis://cache.internal:6379: \(error)")
        }
        guard engine?.password == nil else {
            throw SettingsError(
                "The password of “engine” would be seen by every user of this machine; use engine-password-file."
            )
        }
        engine?.password = try reader.secret("engine-password").map(line)
    }

    private mutating func readURLs(_ reader: SettingsReader, needsKey: Bool) throws {
        urls.presets = try reader.table("presets")
        urls.presetsOnly = try reader.flag("presets-only") ?? false
        urls.negotiates = try reader.flag("negotiate") ?? true
        urls.largestSide = try reader.integer("max-output-side", 1...65_535) ?? limits.outputSide
        urls.hasWatermark = reader.text("watermark-file") != nil
        if let formats = try reader.formats() { offers = formats.filter { $0 != "gif" } }
        urls.formats = [:]
        for format in try reader.formats() ?? offers + ["gif"] {
            urls.formats[format] = format
            if format == "jpeg" { urls.formats["jpg"] = format }
        }
        let shared = urls
        urls = try Self.signed(shared, "", reader) { try SigningKeys(hexLines: $0) } ?? shared
        imgproxy = try Self.signed(shared, "imgproxy-", reader) { try SigningKeys(hexLines: $0, salted: true) }
        if let length = try reader.integer("imgproxy-signature-size", 8...32) {
            imgproxy?.keys.signatureLength = length
        }
        thumbor = try Self.signed(shared, "thumbor-", reader) { SigningKeys(textLines: $0) }
        if let text = reader.text("root-dialect") {
            guard let dialect = Dialect(rawValue: text) else {
                throw SettingsError("“root-dialect” takes halcyon, imgproxy or thumbor, not “\(text)”.")
            }
            guard dialect != .imgproxy || imgproxy != nil, dialect != .thumbor || thumbor != nil else {
                throw SettingsError(
                    "“root-dialect” is \(text), whose URLs are not answered: that needs “\(text)-key-file”."
                )
            }
            rootDialect = dialect
        }
        if needsKey, urls.keys.isEmpty, !urls.allowsUnsigned, imgproxy == nil, thumbor == nil {
            throw SettingsError(
                "There is no key, so that no URL would be answered. Make one with: openssl rand -hex 32 > key; then --key-file key."
            )
        }
        if !needsKey, engine != nil, engineKey == nil {
            throw SettingsError(
                "“engine” needs “engine-key-file” here, because the key of URLs is another one in each run."
            )
        }
        if servesPage, !urls.allowsUnsigned {
            throw SettingsError("“page” needs “allow-unsigned”: a page that signs what it is asked to would be a hole.")
        }
    }

    /// Returns the rules of a dialect with its keys; `nil` if it has neither keys nor unsigned URLs.
    private static func signed(
        _ shared: URLRules,
        _ prefix: String,
        _ reader: SettingsReader,
        keys: (String) throws -> SigningKeys
    ) throws -> URLRules? {
        var rules = shared
        rules.allowsUnsigned = try reader.flag(prefix + "allow-unsigned") ?? false
        if let text = try reader.secret(prefix + "key") {
            do {
                rules.keys = try keys(text)
            } catch {
                throw SettingsError("“\(prefix)key-file”: \(error)")
            }
            guard !rules.keys.isEmpty || rules.allowsUnsigned else {
                throw SettingsError("“\(prefix)key-file” has no key in it.")
            }
        }
        return rules.keys.isEmpty && !rules.allowsUnsigned ? nil : rules
    }

    /// Checks that each preset has a dialect that is answered and takes its options.
    ///
    /// - Parameter needsKey: `false` for a server that makes a key of its own URLs.
    private func checkPresets(needsKey: Bool) throws {
        let answersOwn = !urls.keys.isEmpty || urls.allowsUnsigned || !needsKey
        for name in urls.presets.keys.sorted() {
            do {
                if let imgproxy, (try? imgproxy.check(imgproxyPreset: name)) != nil { continue }
                if let imgproxy, !answersOwn {
                    try imgproxy.check(imgproxyPreset: name)
                } else {
                    try urls.check(preset: name)
                }
            } catch {
                throw SettingsError("The preset “\(name)” has a mistake. \(error)")
            }
        }
    }

    private mutating func readSources(_ reader: SettingsReader) throws {
        sources.allowed = reader.list("allowed-sources") ?? []
        sources.base = reader.text("base-url")
        sources.localRoot = reader.path("local-root")
        sources.allowedAddresses = Set(reader.list("allowed-addresses") ?? [])
        if let text = try reader.secret("origin-headers") {
            do {
                sources.headers = try JSONDecoder().decode([String: [String: String]].self, from: Data(text.utf8))
            } catch {
                throw SettingsError("“origin-headers” is not a JSON object of hosts with objects of headers.")
            }
        }
        try sources.check()
    }

    private mutating func readLimits(_ reader: SettingsReader) throws {
        limits.sourceBytes = try reader.integer("max-source-bytes", 1...Int.max) ?? limits.sourceBytes
        limits.sourcePixels = try reader.integer("max-source-pixels", 1...(1 << 40)) ?? limits.sourcePixels
        limits.frames = try reader.integer("max-frames", 1...10_000) ?? limits.frames
        limits.outputBytes = try reader.integer("max-output-bytes", 1...Int.max) ?? limits.outputBytes
        limits.outputSide = urls.largestSide
        limits.seconds = try reader.integer("request-seconds", 1...3_600) ?? limits.seconds
        limits.concurrency = try reader.integer("concurrency", 1...4_096) ?? limits.concurrency
        limits.queue = try reader.integer("queue", 0...1_000_000) ?? limits.queue
        limits.idleSeconds = try reader.integer("idle-seconds", 1...3_600) ?? limits.idleSeconds
        limits.connections = try reader.integer("connections", 1...1_000_000) ?? limits.connections
    }

    private mutating func readAnswers(_ reader: SettingsReader) throws {
        for (format, text) in try reader.table("qualities") {
            guard let quality = Int(text), (1...100).contains(quality) else {
                throw SettingsError("“qualities” takes qualities from 1 to 100, not “\(text)”.")
            }
            guard ImageCodecs.server.canEncode(ImageFormat(rawValue: format == "jpg" ? "jpeg" : format)) else {
                throw SettingsError("“qualities” takes formats that this server makes, not “\(format)”.")
            }
            qualities[format] = quality
        }
        if let list = reader.list("widths") {
            widths = try list.map {
                guard let width = Int($0), (1...65_535).contains(width) else {
                    throw SettingsError("“widths” takes widths, not “\($0)”.")
                }
                return width
            }
        }
        watermarkFile = reader.path("watermark-file")
        errorImageFile = reader.path("error-image-file")
        let seconds = 0...31_536_000
        defaultMaximumAge = try reader.integer("default-max-age", seconds) ?? defaultMaximumAge
        partialMaximumAge = try reader.integer("partial-max-age", seconds) ?? partialMaximumAge
        staleWhileRevalidate = try reader.integer("stale-while-revalidate", seconds) ?? staleWhileRevalidate
        staleIfError = try reader.integer("stale-if-error", seconds) ?? staleIfError
    }
}
