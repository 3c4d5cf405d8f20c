internal import NIOCore
internal import NIOHTTP1

/// Refuses requests whose host or framing is not certain (RFC 9112, sections 3.2 and 6), which NIO's parser lets pass, and
/// has Hummingbird close connections that their clients do not keep.
///
/// HTTP/1.0 is not kept: nothing in an answer would say so.
final class RequestFramingHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        guard Self.hasOneHost(head), Self.hasOneFraming(head) else {
            hasRefused = true
            // As an error of the parser: Hummingbird answers earlier requests first, then this one with 400, and closes.
            return context.fireErrorCaught(HTTPParserError.unknown)
        }
        // Hummingbird reads this value alone.
        if head.version != .http1_1 || !head.isKeepAlive {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private static func hasOneHost(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers["Host"].map(trimmed)
        guard let host = hosts.first else { return head.version != .http1_1 }
        // The characters of RFC 3986, section 3.2, without those of a user.
        return hosts.count == 1
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "-._~!$&'()*+,;=%:[]".utf8.contains(byte)
                }
            }
    }

    /// A length beside a coding is refused by the parser.
    private static func hasOneFraming(_ head: HTTPRequestHead) -> Bool {
        let codings = head.headers["Transfer-Encoding"]
        return codings.isEmpty || head.version == .http1_1 && codings.map { trimmed($0).lowercased() } == ["chunked"]
    }

    /// Without the white space around a value, which is no part of it (RFC 9110, 5.5).
    private static func trimmed(_ value: String) -> Substring {
        let blanks: Set<Character> = [" ", "\t"]
        let start = value.drop { blanks.contains($0) }
        return start[..<(start.lastIndex { !blanks.contains($0) }.map(start.index(after:)) ?? start.startIndex)]
    }

    /// Adds a handler to a connection, between NIO's parser and Hummingbird's own handlers.
    final class Installer: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = Any

        func handlerAdded(context: ChannelHandlerContext) {
            let pipeline = context.pipeline.syncOperations
            do {
                let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                try pipeline.addHandler(RequestFramingHandler(), position: .after(parser))
            } catch {
                // No connection without the checks.
                context.close(promise: nil)
            }
        }
    }
}
