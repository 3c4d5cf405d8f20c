internal import HTTPTypes

/// Collects the header lines of one response after the other; the last one stays.
struct ResponseHead {
    private(set) var status = 0
    private(set) var fields = HTTPFields()
    /// The blank line has come. What follows are trailers, or the next response.
    private(set) var isComplete = false
    /// Bytes of all responses so far.
    private var byteCount = 0

    /// Takes a line with its end, as libcurl hands it over; false if that makes more than `limit` bytes in all.
    mutating func append(_ line: UnsafeRawBufferPointer, limit: Int) -> Bool {
        guard line.count <= limit - byteCount else { return false }
        byteCount += line.count
        let text = line.trimmed
        if text.starts(with: "HTTP/".utf8) {
            begin(text)
        } else if isComplete {
            // A trailer; nothing that an image loader uses stands there.
        } else if text.isEmpty {
            isComplete = true
        } else if let first = line.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
            unfold(text)
        } else {
            appendField(text)
        }
        return true
    }

    var hasBegun: Bool { status != 0 }

    var isInformational: Bool { (100..<200).contains(status) }

    /// As libcurl decides whether to go on to another URL.
    var isRedirect: Bool { (300..<400).contains(status) && !(location ?? "").isEmpty }

    var location: String? { fields[.location] }

    /// From `Content-Length`, which counts the coded bytes and means nothing beside `Transfer-Encoding` (RFC 9112, 6.3).
    var expectedBodyBytes: Int? {
        guard let length = fields[.contentLength], fields[.transferEncoding] == nil,
            length.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        if let coding = fields[.contentEncoding], coding.lowercased() != "identity" { return nil }
        return Int(length)
    }

    private mutating func begin(_ statusLine: Slice<UnsafeRawBufferPointer>) {
        status = 0
        fields = HTTPFields()
        isComplete = false
        guard let space = statusLine.firstIndex(of: UInt8(ascii: " ")) else { return }
        // libcurl has checked the line: three digits.
        for byte in statusLine[(space + 1)...].prefix(3) where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            status = status * 10 + Int(byte - UInt8(ascii: "0"))
        }
    }

    private mutating func appendField(_ line: Slice<UnsafeRawBufferPointer>) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { return }
        let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmed
        fields.append(HTTPField(name: name, value: value))
    }

    /// A line that goes on with the one before it (RFC 9112, section 5.2).
    private mutating func unfold(_ text: Slice<UnsafeRawBufferPointer>) {
        guard !fields.isEmpty else { return }
        let last = fields[fields.endIndex - 1]
        let more = String(decoding: text, as: UTF8.self)
        fields[fields.endIndex - 1] = HTTPField(name: last.name, value: "\(last.value) \(more)")
    }
}

extension UnsafeRawBufferPointer {
    /// Without white space and line ends on either side.
    fileprivate var trimmed: Slice<UnsafeRawBufferPointer> {
        var range = startIndex..<endIndex
        while let first = range.first, self[first].isWhiteSpace { range = (first + 1)..<range.upperBound }
        while let last = range.last, self[last].isWhiteSpace { range = range.lowerBound..<last }
        return self[range]
    }
}

extension UInt8 {
    fileprivate var isWhiteSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A }
}
