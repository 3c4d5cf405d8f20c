internal import Glibc
public import HTTPTypes

extension OriginServer {
    /// What the server does with a request: steps, done in order.
    public struct Response: Sendable {
        /// One thing to do on the connection.
        public enum Step: Sendable {
            /// Writes the bytes as they are.
            case bytes([UInt8])
            /// Writes a file, as many bytes as given.
            case file(path: String, byteCount: Int)
            /// Writes the bytes again and again, until the client or the server ends it.
            case endless([UInt8])
            /// Writes the bytes one at a time, as a slow server does, with a pause before each.
            case trickle([UInt8], every: Duration)
            /// Waits until the gate is open.
            case wait(Gate)
            /// Opens a gate, to tell the test how far things have come.
            case open(Gate)
            /// Waits until the client closes the connection, then opens the gate.
            case awaitDisconnect(opening: Gate)
            /// Closes the connection in order (FIN).
            case close
            /// Breaks the connection (RST).
            case reset
        }

        /// Done one after the other; afterwards the connection takes the next request, unless it was closed.
        public var steps: [Step]

        /// Exactly these steps: what goes over the wire need not be HTTP.
        public init(steps: [Step]) {
            self.steps = steps
        }

        /// A whole response with `Content-Length`.
        public init(_ status: Int = 200, headers: HTTPFields = [:], body: [UInt8] = []) {
            var headers = headers
            if headers[.contentLength] == nil, status != 304, status != 204 {
                headers[.contentLength] = String(body.count)
            }
            steps = [.bytes(Self.head(status, headers: headers) + body)]
        }

        /// A redirect.
        public static func redirect(to location: String, status: Int = 302, headers: HTTPFields = [:]) -> Response {
            var headers = headers
            headers[.location] = location
            return Response(status, headers: headers)
        }

        /// A response in chunked coding, and its end.
        public static func chunked(_ status: Int = 200, headers: HTTPFields = [:], chunks: [[UInt8]]) -> Response {
            var headers = headers
            headers[.transferEncoding] = "chunked"
            let body = chunks.flatMap(Self.chunk) + Self.chunk([])
            return Response(steps: [.bytes(Self.head(status, headers: headers) + body)])
        }

        /// `head`, then each step; what one step writes may be a part of the body only.
        public static func scripted(_ status: Int = 200, headers: HTTPFields = [:], _ steps: Step...) -> Response {
            Response(steps: [.bytes(head(status, headers: headers))] + steps)
        }

        /// Takes the request and never answers.
        public static var silence: Response { Response(steps: [.awaitDisconnect(opening: Gate())]) }

        /// The bytes of a status line and headers, the blank line included.
        public static func head(_ status: Int = 200, headers: HTTPFields = [:]) -> [UInt8] {
            var text = "HTTP/1.1 \(status) \(HTTPResponse.Status(code: status).reasonPhrase)\r\n"
            for field in headers { text += "\(field.name.rawName): \(field.value)\r\n" }
            return Array((text + "\r\n").utf8)
        }

        /// The bytes of one chunk (RFC 9112, section 7.1); the empty one ends a body.
        public static func chunk(_ bytes: [UInt8]) -> [UInt8] {
            Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
        }
    }
}
