/// The codings that the `Transfer-Encoding` fields of one response state together.
///
/// Requests allow no other coding than `chunked` (RFC 9112, section 7.4), and libcurl would not report that a body in
/// another one has been cut off.
enum TransferCodings: Equatable {
    /// There is no such field.
    case none
    /// A field without a coding. `Content-Length` does not count beside it (RFC 9112, section 6.3).
    case identity
    case chunked
    /// Anything else: the text of the field, cut to 100 bytes.
    case unknown(String)

    /// Adds the value of one more field.
    mutating func append(_ value: UnsafeBufferPointer<UInt8>) {
        // Servers behind another one repeat its field, and have one coding (as browsers and libcurl take it).
        if self == .none || self == .chunked, value.elementsEqual("chunked".utf8) {
            self = .chunked
            return
        }
        for part in value.split(separator: UInt8(ascii: ",")) {
            let name = String(decoding: UnsafeBufferPointer(rebasing: part).trimmed.prefix(100), as: UTF8.self)
            switch (self, name.lowercased()) {
            case (_, ""), (.unknown, _): break
            case (.none, "identity"), (.identity, "identity"): self = .identity
            case (.none, "chunked"), (.identity, "chunked"): self = .chunked
            default: append(unclear: value)
            }
        }
        if self == .none { self = .identity }
    }

    /// Adds a value, or the continuation of one, that is no such list.
    mutating func append(unclear value: UnsafeBufferPointer<UInt8>) {
        if case .unknown = self { return }
        self = .unknown(String(decoding: value.prefix(100), as: UTF8.self))
    }
}
