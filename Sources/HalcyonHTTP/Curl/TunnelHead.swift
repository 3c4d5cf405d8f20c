/// The challenges in a proxy's answers to CONNECT.
struct TunnelHead {
    /// The largest number of bytes of challenges that are kept.
    private static let limit = 16 << 10

    /// The values of `Proxy-Authenticate`.
    private(set) var challenges: [String] = []
    private var challengeBytes = 0
    /// The bytes of all answers so far.
    private var byteCount = 0
    private var lineCount = 0

    /// Appends a line with its end, in the form of libcurl; returns `false` if that makes more than `limit` bytes in
    /// all, or more lines than a response may have fields.
    mutating func append(_ line: UnsafeRawBufferPointer, limit: Int) -> Bool {
        guard line.count <= limit - byteCount, lineCount < ResponseHead.maximumFieldCount else { return false }
        byteCount += line.count
        lineCount += 1
        let name = "proxy-authenticate:"
        if line.starts(with: "HTTP/".utf8) {
            // libcurl has repeated the request; only the last answer counts.
            challenges = []
            challengeBytes = 0
        } else if line.count > name.utf8.count, line.count <= Self.limit - challengeBytes,
            zip(line, name.utf8).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 })
        {
            challengeBytes += line.count
            let value = String(decoding: line.dropFirst(name.utf8.count), as: UTF8.self)
            challenges.append(String(value.prefix { $0 != "\r\n" && $0 != "\r" && $0 != "\n" }))
        }
        return true
    }
}
