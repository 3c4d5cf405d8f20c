/// What a proxy said to CONNECT, as far as it matters: its challenges.
struct TunnelHead {
    /// Bytes of challenges that are kept.
    private static let limit = 16 << 10

    /// The values of `Proxy-Authenticate`.
    private(set) var challenges: [String] = []
    private var byteCount = 0

    /// Takes a line with its end, as libcurl hands it over.
    mutating func append(_ line: UnsafeRawBufferPointer) {
        let name = "proxy-authenticate:"
        if line.starts(with: "HTTP/".utf8) {
            // libcurl has asked again; only the last answer counts.
            self = TunnelHead()
        } else if line.count > name.utf8.count, line.count <= Self.limit - byteCount,
            zip(line, name.utf8).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 })
        {
            byteCount += line.count
            let value = String(decoding: line.dropFirst(name.utf8.count), as: UTF8.self)
            challenges.append(String(value.prefix { $0 != "\r\n" && $0 != "\r" && $0 != "\n" }))
        }
    }
}
