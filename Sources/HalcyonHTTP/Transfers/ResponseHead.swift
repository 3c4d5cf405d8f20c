internal import HTTPTypes

/// Collects the header lines of one response after the other; the last one stays.
///
/// A quarter of a small transfer's instructions went into headers once. So names come from a cache, values that are ASCII
/// become strings without further checks, and the few fields that are read here are noted as they come.
struct ResponseHead {
    /// A field of three bytes takes some hundred in memory, so bytes alone are no bound.
    static let maximumFieldCount = 4096

    private(set) var status = 0
    private(set) var fields = HTTPFields()
    /// The blank line has come. What follows are trailers, or the next response.
    private(set) var isComplete = false
    /// Bytes of all responses so far.
    private(set) var byteCount: Int
    /// Where in `fields` the fields stand that are read here.
    private var notable: [(kind: NotableField, index: Int)] = []

    /// `byteCount` is what earlier responses have used up of the limit.
    init(byteCount: Int = 0) {
        self.byteCount = byteCount
    }

    /// Takes a line with its end, as libcurl hands it over; false if that makes more than `limit` bytes in all, or more
    /// than ``maximumFieldCount`` fields.
    mutating func append(_ line: UnsafeBufferPointer<UInt8>, limit: Int, names: FieldNameCache) -> Bool {
        guard line.count <= limit - byteCount else { return false }
        byteCount += line.count
        let text = line.trimmed
        if text.isStatusLine {
            begin(text)
        } else if isComplete {
            // A trailer; nothing that an image loader uses stands there.
        } else if text.isEmpty {
            isComplete = true
        } else if let first = line.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
            unfold(text)
        } else {
            guard fields.count < Self.maximumFieldCount else { return false }
            appendField(text, names)
        }
        return true
    }

    var hasBegun: Bool { status != 0 }

    var isInformational: Bool { (100..<200).contains(status) }

    /// Whether the status is that of a redirect, with or without a target.
    var mayBeRedirect: Bool { Redirection.statuses.contains(status) }

    /// From `Content-Length`, which counts the coded bytes and means nothing beside `Transfer-Encoding` (RFC 9112, 6.3).
    var expectedBodyBytes: Int? {
        guard let length = value(.contentLength), value(.transferEncoding) == nil,
            length.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        if let coding = value(.contentEncoding), coding.lowercased() != "identity" { return nil }
        return Int(length)
    }

    /// Several fields of one name are one list (RFC 9110, section 5.3).
    private func value(_ kind: NotableField) -> String? {
        var value: String?
        for place in notable where place.kind == kind {
            let part = fields[place.index].value
            value = value.map { "\($0), \(part)" } ?? part
        }
        return value
    }

    private mutating func begin(_ statusLine: UnsafeBufferPointer<UInt8>) {
        status = 0
        fields = HTTPFields()
        fields.reserveCapacity(16)
        notable.removeAll(keepingCapacity: true)
        isComplete = false
        guard let space = statusLine.firstIndex(of: UInt8(ascii: " ")) else { return }
        // libcurl has checked the line: three digits.
        for byte in statusLine[(space + 1)...].prefix(3) where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            status = status * 10 + Int(byte - UInt8(ascii: "0"))
        }
    }

    private mutating func appendField(_ line: UnsafeBufferPointer<UInt8>, _ names: FieldNameCache) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let entry = names.entry(UnsafeBufferPointer(rebasing: line[..<colon]))
        else { return }
        if let kind = entry.notable { notable.append((kind, fields.count)) }
        let value = UnsafeBufferPointer(rebasing: line[(colon + 1)...]).trimmed
        if value.isASCII {
            fields.append(HTTPField(name: entry.name, value: String(decoding: value, as: UTF8.self)))
        } else {
            fields.append(HTTPField(name: entry.name, value: value))
        }
    }

    /// A line that goes on with the one before it (RFC 9112, section 5.2).
    private mutating func unfold(_ text: UnsafeBufferPointer<UInt8>) {
        guard !fields.isEmpty else { return }
        let last = fields[fields.endIndex - 1]
        let more = String(decoding: text, as: UTF8.self)
        fields[fields.endIndex - 1] = HTTPField(name: last.name, value: "\(last.value) \(more)")
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Without white space and line ends on either side.
    fileprivate var trimmed: UnsafeBufferPointer {
        var start = startIndex
        var end = endIndex
        while start < end, self[start].isWhiteSpace { start += 1 }
        while start < end, self[end - 1].isWhiteSpace { end -= 1 }
        return UnsafeBufferPointer(rebasing: self[start..<end])
    }

    fileprivate var isStatusLine: Bool {
        count >= 5 && self[0] == UInt8(ascii: "H") && self[1] == UInt8(ascii: "T") && self[2] == UInt8(ascii: "T")
            && self[3] == UInt8(ascii: "P") && self[4] == UInt8(ascii: "/")
    }

    fileprivate var isASCII: Bool {
        var bits: UInt8 = 0
        for byte in self { bits |= byte }
        return bits < 0x80
    }
}

extension UInt8 {
    fileprivate var isWhiteSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A }
}
