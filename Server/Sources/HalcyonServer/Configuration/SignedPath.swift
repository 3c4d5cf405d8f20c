internal import ServerURLs

extension ServerSettings {
    /// Returns the path of a URL of the server, signed by the newest key.
    ///
    /// - Parameters:
    ///   - arguments: Settings with their values, such as `--key-file key` and `--config=settings.json`; then the options, and
    ///     the source last.
    ///   - environment: The variables of the process.
    ///   - readFile: Returns the text of a file. Default: reads it.
    /// - Throws: ``SettingsError`` for settings that cannot be used, a missing source, and a URL that a server with these
    ///   settings refuses, whatever its source.
    package static func signedPath(
        _ arguments: [String],
        environment: [String: String],
        readFile: ((String) throws -> String)? = nil
    ) throws -> String {
        var (flags, rest) = ([String](), arguments[...])
        while let flag = rest.first, flag.hasPrefix("--") {
            flags.append(rest.removeFirst())
            if !flag.contains("="), let value = rest.popFirst() { flags.append(value) }
        }
        let settings = try ServerSettings(arguments: flags, environment: environment, readFile: readFile)
        let missing = SettingsError(
            "The source is missing: halcyon-server sign [--key-file FILE] [--config FILE] OPTION… SOURCE"
        )
        guard let source = rest.popLast() else { throw missing }
        do {
            // An option in the place of the source.
            if (try? settings.signedPath([source], of: "source")) != nil { throw missing }
            return try settings.signedPath(Array(rest), of: source)
        } catch let refusal as URLRefusal {
            throw SettingsError("\(refusal)")
        }
    }

    /// - Throws: ``URLRefusal``.
    private func signedPath(_ options: [String], of source: String) throws -> String {
        let path = try HalcyonURL(options: options, source: source).path(signedBy: urls.keys)
        _ = try HalcyonURL(path: path).plan(by: urls)
        return (rootDialect == .halcyon ? "" : "/halcyon") + path
    }
}
