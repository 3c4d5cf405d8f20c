internal import Glibc
internal import HTTPTypes

/// The header lines of one response as they came, without the status line and the blank one.
///
/// Making fields of them took a tenth of the time of a small transfer beside libcurl's, so the transport's one thread
/// leaves it to the first reader of a field.
struct HeaderText: Sendable {
    private(set) var bytes: [UInt8] = []

    /// Appends a line, which includes its line end.
    mutating func append(_ line: UnsafeBufferPointer<UInt8>) {
        if bytes.isEmpty { bytes.reserveCapacity(512) }
        bytes.append(contentsOf: line)
        if line.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
    }

    /// The fields; lines that are none are left out. A line that begins with white space continues the one before it
    /// (RFC 9112, section 5.2).
    var fields: HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(16)
        bytes.withUnsafeBufferPointer { bytes in
            var rest = bytes
            var field: UnsafeBufferPointer<UInt8>?
            // Gathered before a field is made of it: of 4,096 lines each would copy all before it.
            var folded: [UInt8] = []
            func end() {
                guard let line = field else { return }
                if folded.isEmpty { return Self.append(line, to: &fields) }
                folded.withUnsafeBufferPointer { Self.append($0, to: &fields) }
                folded = []
            }
            while let lineEnd = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = UnsafeBufferPointer(rebasing: rest[..<lineEnd])
                rest = UnsafeBufferPointer(rebasing: rest[(lineEnd + 1)...])
                if line.first?.isFieldSpace ?? false {
                    guard let field else { continue }
                    if folded.isEmpty { folded = Array(field) }
                    folded.append(UInt8(ascii: " "))
                    folded.append(contentsOf: line.trimmed)
                } else {
                    end()
                    field = line.trimmed
                }
            }
            end()
        }
        return fields
    }

    private static func append(_ line: UnsafeBufferPointer<UInt8>, to fields: inout HTTPFields) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let nameBytes = UnsafeBufferPointer(rebasing: line[..<colon])
        guard let name = HTTPField.Name(String(decoding: nameBytes, as: UTF8.self)) else { return }
        let value = UnsafeBufferPointer(rebasing: line[(colon + 1)...]).trimmed
        if value.isASCII {
            fields.append(HTTPField(name: name, value: String(decoding: value, as: UTF8.self)))
        } else {
            fields.append(HTTPField(name: name, value: value))
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The text without white space and line ends on either side.
    var trimmed: UnsafeBufferPointer {
        var start = startIndex
        var end = endIndex
        while start < end, self[start].isWhiteSpace { start += 1 }
        while start < end, self[end - 1].isWhiteSpace { end -= 1 }
        return UnsafeBufferPointer(rebasing: self[start..<end])
    }

    fileprivate var isASCII: Bool {
        var bits: UInt8 = 0
        for byte in self { bits |= byte }
        return bits < 0x80
    }
}

extension UInt8 {
    fileprivate var isWhiteSpace: Bool { isFieldSpace || self == 0x0D || self == 0x0A }
}
