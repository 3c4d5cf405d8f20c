internal import HTTPTypes

/// The content codings that the `Content-Encoding` fields of one response state together.
///
/// Names that stand for no coding that can be undone are ignored, and the decoder of the image judges the bytes: servers
/// name storage formats (`aws-chunked`), character sets and `none` there, for bodies that have no coding at all.
struct ContentCodings: Sendable, Hashable {
    /// The largest number of codings. No server needs more than two; each one takes memory and time.
    static let maximumCount = 4

    /// The known codings in the order in which they were applied.
    private(set) var list: [ContentCoding] = []
    /// The reason why the body cannot be decoded; `nil` if it can.
    private(set) var problem: String?

    /// A Boolean value that indicates whether there is nothing to undo.
    var isEmpty: Bool { list.isEmpty && problem == nil }

    init() {}

    /// Reads all fields of a response.
    init(_ fields: HTTPFields) {
        for var value in fields[values: .contentEncoding] {
            value.withUTF8 { append($0) }
        }
    }

    /// Appends the codings of one more field.
    mutating func append(_ value: UnsafeBufferPointer<UInt8>) {
        for part in value.split(separator: UInt8(ascii: ",")) {
            let name = String(decoding: UnsafeBufferPointer(rebasing: part).trimmed.prefix(100), as: UTF8.self)
            switch name.lowercased() {
            case "gzip", "x-gzip": append(.gzip)
            case "deflate": append(.deflate)
            default: break
            }
        }
    }

    /// Notes the continuation of a value on another line, which no honest server uses.
    mutating func append(unclear value: UnsafeBufferPointer<UInt8>) {
        note("Content-Encoding in two lines: \(String(decoding: value.prefix(100), as: UTF8.self))")
    }

    private mutating func append(_ coding: ContentCoding) {
        guard list.count < Self.maximumCount else {
            return note("more than \(Self.maximumCount) content codings")
        }
        list.append(coding)
    }

    private mutating func note(_ problem: String) {
        if self.problem == nil { self.problem = problem }
    }
}
