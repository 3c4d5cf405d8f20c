internal import CCurlShim

extension CurlExchange {
    /// The state of an exchange when its connection was first inspected.
    struct WireMark {
        let socket: Int32
        /// The bytes that had been read from the socket, without those of the headers and body so far.
        let surplus: UInt64
    }

    /// The bytes that may come on the wire beside headers and body, however short they are.
    private static let wireAllowance: UInt64 = 1 << 20
    /// The bytes on the wire for each byte of a body: one that comes in chunks, and in records of TLS, of one byte each
    /// takes 35.
    private static let wireFactor: UInt64 = 64

    /// Returns the error of the bytes on the wire, if there are far too many for their content.
    func inspectWire() -> TransferError? {
        guard isAlone, !isPaused, let (socket, count) = loop.sockets.bytesRead(localPort: localPort) else { return nil }
        let arrived = UInt64(head.byteCount) + UInt64(wireBodyBytes)
        guard let mark = wireMark, mark.socket == socket, count >= mark.surplus else {
            wireMark = WireMark(socket: socket, surplus: count - min(count, arrived))
            return nil
        }
        let own = count - mark.surplus
        let excused = Self.wireAllowance + UInt64(head.byteCount) + Self.wireFactor * UInt64(wireBodyBytes)
        guard own > excused else { return nil }
        guard head.isComplete else { return .headersTooLarge(maximum: transfer.limits.headerBytes) }
        return problem(CURLE_OK).malformed("\(own) bytes came for \(wireBodyBytes) bytes of the body")
    }

    /// A Boolean value that indicates whether no other transfer uses the connection.
    private var isAlone: Bool {
        isPlain || head.speaksHTTP1
    }
}
