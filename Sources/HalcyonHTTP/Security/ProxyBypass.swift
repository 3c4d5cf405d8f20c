/// The hosts that are reached without a proxy.
struct ProxyBypass: Sendable, Hashable {
    private enum Pattern: Hashable {
        case all
        case name(String)
        case network(IPNetwork)
    }

    private struct Entry: Hashable {
        var pattern: Pattern
        var port: Int?
    }

    private var entries: [Entry]

    /// Reads entries in the form of `no_proxy`; empty ones do not count.
    init(_ texts: some Sequence<some StringProtocol>) {
        entries = texts.compactMap { Self.entry(String($0).lowercased()) }
    }

    /// Reads the value of `no_proxy`, separated by commas or spaces.
    init(list: String) {
        self.init(list.split { $0 == "," || $0.isWhitespace })
    }

    func contains(_ origin: Origin) -> Bool {
        guard !entries.isEmpty else { return false }
        let host = HostName.decoded(origin.host)
        let address = IPAddress(host: host)
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return entries.contains { entry in
            guard entry.port == nil || entry.port == origin.port else { return false }
            switch (entry.pattern, address) {
            case (.all, _): return true
            case (.network(let network), let address?): return network.contains(address)
            case (.name(let suffix), nil): return name == suffix || name.hasSuffix(".\(suffix)")
            default: return false
            }
        }
    }

    private static func entry(_ text: String) -> Entry? {
        guard !text.isEmpty else { return nil }
        if text == "*" { return Entry(pattern: .all) }
        var host = text
        var port: Int?
        // More than one colon is an address of version 6, unless it has brackets.
        if IPNetwork(text) == nil, let colon = text.lastIndex(of: ":"),
            let number = UInt16(text[text.index(after: colon)...])
        {
            host = String(text[..<colon])
            port = Int(number)
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if let network = IPNetwork(host) { return Entry(pattern: .network(network), port: port) }
        if host.hasPrefix("*.") { host.removeFirst() }
        while host.hasPrefix(".") { host.removeFirst() }
        if host.hasSuffix(".") { host.removeLast() }
        return host.isEmpty ? nil : Entry(pattern: .name(HostName.normalized(host)), port: port)
    }
}
