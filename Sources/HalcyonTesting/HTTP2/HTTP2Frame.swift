public import HTTPTypes

/// A frame of HTTP/2 (RFC 9113, section 4.1), well formed or not.
public struct HTTP2Frame: Sendable, Hashable {
    /// The type of a frame (RFC 9113, section 6).
    public enum Kind: UInt8, Sendable, Hashable {
        case data = 0
        case headers = 1
        case priority = 2
        case resetStream = 3
        case settings = 4
        case pushPromise = 5
        case ping = 6
        case goAway = 7
        case windowUpdate = 8
        case continuation = 9
    }

    /// The reason why a stream or connection ends (RFC 9113, section 7).
    public enum ErrorCode: UInt32, Sendable, Hashable, CaseIterable {
        case noError = 0
        case protocolError = 1
        case internalError = 2
        case flowControlError = 3
        case settingsTimeout = 4
        case streamClosed = 5
        case frameSizeError = 6
        case refusedStream = 7
        case cancel = 8
        case compressionError = 9
        case connectError = 10
        case enhanceYourCalm = 11
        case inadequateSecurity = 12
        case http11Required = 13
    }

    /// The flag END_STREAM, and ACK of settings and ping.
    public static let endStream: UInt8 = 0x01
    /// The flag END_HEADERS.
    public static let endHeaders: UInt8 = 0x04

    /// The type of the frame.
    public var kind: Kind
    /// The flags: ``endStream``, ``endHeaders``, …
    public var flags: UInt8
    /// The number of the stream; 0 is the connection.
    public var stream: Int
    /// The payload: at most 16 MiB less one byte; more than a client allows is one of the faults.
    public var payload: [UInt8]

    /// Creates a frame of any content.
    public init(_ kind: Kind, flags: UInt8 = 0, stream: Int = 0, payload: [UInt8] = []) {
        self.kind = kind
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    /// Returns the head of a response. Nothing follows unless `endsHeaders` is false (then a
    /// ``continuation(stream:block:endsHeaders:)``) or `endsStream` is.
    public static func headers(
        stream: Int,
        status: Int = 200,
        _ fields: HTTPFields = [:],
        endsStream: Bool = false,
        endsHeaders: Bool = true
    ) -> HTTP2Frame {
        let flags = (endsStream ? endStream : 0) | (endsHeaders ? endHeaders : 0)
        return HTTP2Frame(.headers, flags: flags, stream: stream, payload: block(status: status, fields))
    }

    /// Returns a further part of a field block.
    public static func continuation(stream: Int, block: [UInt8], endsHeaders: Bool) -> HTTP2Frame {
        HTTP2Frame(.continuation, flags: endsHeaders ? endHeaders : 0, stream: stream, payload: block)
    }

    /// Returns a piece of a body.
    public static func data(stream: Int, _ bytes: [UInt8], endsStream: Bool = true) -> HTTP2Frame {
        HTTP2Frame(.data, flags: endsStream ? endStream : 0, stream: stream, payload: bytes)
    }

    /// Returns a frame that ends a stream (RST_STREAM).
    public static func resetStream(_ stream: Int, _ code: ErrorCode) -> HTTP2Frame {
        HTTP2Frame(.resetStream, stream: stream, payload: code.rawValue.bigEndianBytes)
    }

    /// Returns a frame that announces that no stream after `lastStream` is processed.
    public static func goAway(lastStream: Int, _ code: ErrorCode = .noError) -> HTTP2Frame {
        let last = UInt32(truncatingIfNeeded: lastStream).bigEndianBytes
        return HTTP2Frame(.goAway, payload: last + code.rawValue.bigEndianBytes)
    }

    /// Returns settings by their number (RFC 9113, section 6.5.2).
    public static func settings(_ values: [UInt16: UInt32] = [:]) -> HTTP2Frame {
        let payload = values.sorted { $0.key < $1.key }.flatMap { key, value in
            [UInt8(key >> 8), UInt8(key & 0xFF)] + value.bigEndianBytes
        }
        return HTTP2Frame(.settings, payload: payload)
    }

    /// Returns a field block (RFC 7541) of literals that no table keeps: the status unless it is `nil`, then the
    /// fields.
    public static func block(status: Int?, _ fields: HTTPFields) -> [UInt8] {
        // Entry 8 of the static table has the name ":status".
        var block = status.map { [0x08] + literal("\($0)") } ?? []
        for field in fields { block += [0x00] + literal(field.name.canonicalName) + literal(field.value) }
        return block
    }

    /// The bytes of the frame on the wire.
    public var bytes: [UInt8] {
        let length = Array(UInt32(truncatingIfNeeded: payload.count).bigEndianBytes.dropFirst())
        let number = UInt32(truncatingIfNeeded: stream).bigEndianBytes
        return length + [kind.rawValue, flags] + number + payload
    }

    /// Returns a string without Huffman coding (RFC 7541, section 5.2), its length with a prefix of seven bits (section
    /// 5.1).
    private static func literal(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var length: [UInt8] = [127]
        var rest = bytes.count - 127
        while rest >= 128 {
            length.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }
}

extension UInt32 {
    fileprivate var bigEndianBytes: [UInt8] {
        [UInt8(self >> 24), UInt8(self >> 16 & 0xFF), UInt8(self >> 8 & 0xFF), UInt8(self & 0xFF)]
    }
}
