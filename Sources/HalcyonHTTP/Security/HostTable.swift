/// Values for hosts, by "host" or "host:port".
struct HostTable<Value: Sendable>: Sendable {
    private var values: [String: Value] = [:]

    var isEmpty: Bool { values.isEmpty }

    /// Creates a table of keys in any case, also international ones; addresses of version 6 with or without brackets.
    init(_ values: [String: Value]) {
        for (key, value) in values {
            self.values[Self.normalized(key)] = value
        }
    }

    /// The value for host and port, else for the host.
    subscript(origin: Origin) -> Value? {
        guard !values.isEmpty else { return nil }
        return values["\(origin.host):\(origin.port)"] ?? values[origin.host]
    }

    /// The value for the host, which is in lower case or in a form that a key may have.
    subscript(host host: String) -> Value? {
        values.isEmpty ? nil : values[Self.normalized(host)]
    }

    private static func normalized(_ key: String) -> String {
        let key = HostName.normalized(key)
        if case .v6 = IPAddress(key) { return "[\(key)]" }
        return key
    }
}
