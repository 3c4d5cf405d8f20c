internal import Glibc
public import HTTPTypes

extension OriginServer {
    /// The server's reaction to a request: steps, performed in order.
    public struct Response: Sendable {
        /// One action on the connection.
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
            /// Opens a gate, to report the progress to the test.
            case open(Gate)
            /// Waits until the client closes the connection, then opens the gate.
            case awaitDisconnect(opening: Gate)
            /// Closes the connection in order (FIN).
            case close
            /// Breaks the connection (RST).
            case reset
        }

        /// The steps, performed one after the other; afterwards the connection takes the next request, unless it was
        /// closed.
        public var steps: [Step]

        /// Creates a response of exactly these steps: the bytes on the wire need not be HTTP.
        public init(steps: [Step]) {
            self.steps = steps
        }

        /// Creates a whole response with `Content-Length`.
        public init(_ status: Int = 200, headers: HTTPFields = [:], body: [UInt8] = []) {
            var headers = headers
            if headers[.contentLength] == nil, status != 304, status != 204 {
                headers[.contentLength] = String(body.count)
            }
            steps = [.bytes(Self.head(status, headers: headers) + body)]
        }

        /// Returns a redirect.
        public static func redirect(to location: String, status: Int = 302, headers: HTTPFields = [:]) -> Response {
            var headers = headers
            headers[.location] = location
            return Response(status, headers: headers)
        }

        /// Returns a response in chunked coding, and its end.
        public static func chunked(_ status: Int = 200, headers: HTTPFields = [:], chunks: [[UInt8]]) -> Response {
            var headers = headers
            headers[.transferEncoding] = "chunked"
            let body = chunks.flatMap(Self.chunk) + Self.chunk([])
            return Response(steps: [.bytes(Self.head(status, headers: headers) + body)])
        }

        /// Returns `head`, then each step; the bytes of one step may be a part of the body only.
        public static func scripted(_ status: Int = 200, headers: HTTPFields = [:], _ steps: Step...) -> Response {
            Response(steps: [.bytes(head(status, headers: headers))] + steps)
        }

        /// A response that is never sent; the request is read.
        public static var silence: Response { Response(steps: [.awaitDisconnect(opening: Gate())]) }

        /// Returns the bytes of a status line and headers, the blank line included.
        public static func head(_ status: Int = 200, headers: HTTPFields = [:]) -> [UInt8] {
            var text = "HTTP/1.1 \(status) \(HTTPResponse.Status(code: status).reasonPhrase)\r\n"
            for field in headers { text += "\(field.name.rawName): \(field.value)\r\n" }
            return Array((text + "\r\n").utf8)
        }

        /// Returns the bytes of one chunk (RFC 9112, section 7.1); the empty one ends a body.
        public static func chunk(_ bytes: [UInt8]) -> [UInt8] {
            Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
        }
    }
}
