internal import Glibc

/// Collects the header lines of one response after the other; the last one stays.
///
/// Only the fields that the transport itself needs are read; the rest is kept as ``HeaderText``.
struct ResponseHead {
    /// The largest number of fields: one of three bytes takes some hundred in memory, so bytes alone are no bound.
    static let maximumFieldCount = 4096

    /// The fields that the transport needs.
    private enum Notable {
        case contentLength, transferEncoding, contentEncoding
    }

    private(set) var status = 0
    /// A Boolean value that indicates whether the status line is one of HTTP/1, as it came, and not libcurl's rendering
    /// of another version's.
    private(set) var speaksHTTP1 = false
    private(set) var text = HeaderText()
    /// A Boolean value that indicates whether the blank line has come. After it come trailers, or the next response.
    private(set) var isComplete = false
    /// The bytes of all responses so far.
    private(set) var byteCount: Int
    private var lineCount = 0
    private(set) var contentLength = ContentLength.missing
    private(set) var transferCodings = TransferCodings.none
    /// The codings of the body; with any, the body's length is not that of its content.
    private(set) var contentCodings = ContentCodings()
    /// The field of the last line, in case it goes on.
    private var last: Notable?

    /// Creates a head; `byteCount` is the part of the limit that earlier responses have used.
    init(byteCount: Int = 0) {
        self.byteCount = byteCount
    }

    var hasBegun: Bool { status != 0 }

    var isInformational: Bool { (100..<200).contains(status) }

    /// A Boolean value that indicates whether the status is that of a redirect, with or without a target.
    var mayBeRedirect: Bool { (300..<400).contains(status) && Redirection.statuses.contains(status) }

    /// Appends a line with its end, in the form of libcurl; returns `false` if that makes more than `limit` bytes in
    /// all, or more than ``maximumFieldCount`` fields.
    mutating func append(_ line: UnsafeBufferPointer<UInt8>, limit: Int) -> Bool {
        guard line.count <= limit - byteCount else { return false }
        byteCount += line.count
        if line.isStatusLine {
            begin(line)
        } else if isComplete {
            // A trailer; it holds nothing that an image loader uses.
        } else if line.count <= 2, line.trimmed.isEmpty {
            isComplete = true
        } else {
            guard lineCount < Self.maximumFieldCount else { return false }
            lineCount += 1
            note(line)
            text.append(line)
        }
        return true
    }

    private mutating func begin(_ statusLine: UnsafeBufferPointer<UInt8>) {
        self = ResponseHead(byteCount: byteCount)
        status = Self.status(statusLine.trimmed) ?? 0
        speaksHTTP1 = statusLine.count > 6 && statusLine[6] == UInt8(ascii: ".")
    }

    /// Returns the status of "HTTP/1.1 200 OK" (RFC 9112, section 4), or "HTTP/2 200" as libcurl writes it; `nil` for
    /// anything else, of which libcurl takes a lot for a status line.
    private static func status(_ line: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let space = line.firstIndex(of: UInt8(ascii: " ")), isVersion(line[5..<space]) else { return nil }
        let rest = line[(space + 1)...]
        guard rest.count >= 3, rest.count == 3 || rest[space + 4] == UInt8(ascii: " ") else { return nil }
        var status = 0
        for byte in rest.prefix(3) {
            guard byte.isASCIIDigit else { return nil }
            status = status * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return status
    }

    private static func isVersion(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        switch bytes.count {
        case 1: (UInt8(ascii: "2")...UInt8(ascii: "3")).contains(bytes[5])
        case 3: bytes[5] == UInt8(ascii: "1") && bytes[6] == UInt8(ascii: ".") && bytes[7].isASCIIDigit
        default: false
        }
    }

    private mutating func note(_ line: UnsafeBufferPointer<UInt8>) {
        guard let first = line.first, !first.isFieldSpace else {
            // It goes on with the line before (RFC 9112, section 5.2), which no proper server does with these.
            switch last {
            case .contentLength: contentLength.append(unclear: line.trimmed)
            case .contentEncoding: contentCodings.append(unclear: line.trimmed)
            case .transferEncoding: transferCodings.append(unclear: line.trimmed)
            case nil: break
            }
            return
        }
        last = Self.notable(line)
        guard let last else { return }
        let value = UnsafeBufferPointer(rebasing: line[(Self.nameLength(of: last) + 1)...]).trimmed
        switch last {
        case .transferEncoding: transferCodings.append(value)
        case .contentEncoding: contentCodings.append(value)
        case .contentLength: contentLength.append(value)
        }
    }

    private static func notable(_ line: UnsafeBufferPointer<UInt8>) -> Notable? {
        // Most names begin with another letter.
        guard let first = line.first, first | 0x20 == UInt8(ascii: "c") || first | 0x20 == UInt8(ascii: "t") else {
            return nil
        }
        let kind: Notable
        switch line.firstIndex(of: UInt8(ascii: ":")) {
        case 14 where line.begins("content-length"): kind = .contentLength
        case 16 where line.begins("content-encoding"): kind = .contentEncoding
        case 17 where line.begins("transfer-encoding"): kind = .transferEncoding
        default: return nil
        }
        return kind
    }

    private static func nameLength(of kind: Notable) -> Int {
        switch kind {
        case .contentLength: 14
        case .contentEncoding: 16
        case .transferEncoding: 17
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate var isStatusLine: Bool {
        count >= 5 && self[0] == UInt8(ascii: "H") && self[1] == UInt8(ascii: "T") && self[2] == UInt8(ascii: "T")
            && self[3] == UInt8(ascii: "P") && self[4] == UInt8(ascii: "/")
    }

    fileprivate func begins(_ name: StaticString) -> Bool {
        guard let baseAddress, count >= name.utf8CodeUnitCount else { return false }
        return name.withUTF8Buffer { strncasecmp(baseAddress, $0.baseAddress ?? baseAddress, $0.count) == 0 }
    }
}
