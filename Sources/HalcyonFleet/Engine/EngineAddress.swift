/// The place of a node of an engine.
struct EngineAddress: Hashable, Sendable, CustomStringConvertible {
    let host: String
    let port: Int

    /// `host:port`, with an IPv6 address in brackets.
    var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Creates an address from text such as `host`, `host:6379` or `[::1]:6379`; `nil` for other text.
    init?(_ text: some StringProtocol, port defaultPort: Int) {
        var host = String(text)
        var rest = Substring()
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { return nil }
            rest = host[host.index(after: end)...]
            host = String(host[host.index(after: host.startIndex)..<end])
        } else if let colon = host.lastIndex(of: ":") {
            rest = host[colon...]
            host = String(host[..<colon])
            // An IPv6 address needs brackets.
            guard !host.contains(":") else { return nil }
        }
        var port = defaultPort
        if !rest.isEmpty {
            guard rest.hasPrefix(":"), let number = Int(rest.dropFirst()), 1...65_535 ~= number else { return nil }
            port = number
        }
        guard !host.isEmpty, !host.utf8.contains(0) else { return nil }
        self.init(host: host, port: port)
    }
}
