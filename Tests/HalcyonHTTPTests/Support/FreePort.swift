import HalcyonTesting

/// Ports of 127.0.0.1 that a server can be started on later.
enum FreePort {
    /// A port that nobody listens on. It is not one of those that the system itself gives out for connections and for
    /// servers without a wish, so that nobody takes it meanwhile.
    static func find() -> Int {
        while true {
            let port = Int.random(in: 12_000..<32_000)
            guard let probe = try? OriginServer(port: port, handler: { _ in .init() }) else { continue }
            probe.stop()
            return port
        }
    }
}
