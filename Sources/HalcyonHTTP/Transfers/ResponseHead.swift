internal import Glibc

/// Collects the header lines of one response after the other; the last one stays.
///
/// Only what the transport has to know itself is read; the rest is kept as ``HeaderText``.
struct ResponseHead {
    /// A field of three bytes takes some hundred in memory, so bytes alone are no bound.
    static let maximumFieldCount = 4096

    /// Fields of which the transport needs to know.
    private enum Notable {
        case contentLength, transferEncoding, contentEncoding
    }

    private(set) var status = 0
    private(set) var text = HeaderText()
    /// The blank line has come. What follows are trailers, or the next response.
    private(set) var isComplete = false
    /// Bytes of all responses so far.
    private(set) var byteCount: Int
    private var lineCount = 0
    private var contentLength: Int?
    /// Makes nothing known of the length: another coding, a second or an unreadable `Content-Length`.
    private var hidesLength = false
    /// What the last line was, in case it goes on.
    private var last: Notable?

    /// `byteCount` is what earlier responses have used up of the limit.
    init(byteCount: Int = 0) {
        self.byteCount = byteCount
    }

    var hasBegun: Bool { status != 0 }

    var isInformational: Bool { (100..<200).contains(status) }

    /// Whether the status is that of a redirect, with or without a target.
    var mayBeRedirect: Bool { Redirection.statuses.contains(status) }

    /// From `Content-Length`, which counts the coded bytes and means nothing beside `Transfer-Encoding` (RFC 9112, 6.3).
    var expectedBodyBytes: Int? { hidesLength ? nil : contentLength }

    /// Takes a line with its end, as libcurl hands it over; false if that makes more than `limit` bytes in all, or more
    /// than ``maximumFieldCount`` fields.
    mutating func append(_ line: UnsafeBufferPointer<UInt8>, limit: Int) -> Bool {
        guard line.count <= limit - byteCount else { return false }
        byteCount += line.count
        if line.isStatusLine {
            begin(line)
        } else if isComplete {
            // A trailer; nothing that an image loader uses stands there.
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
        guard let space = statusLine.firstIndex(of: UInt8(ascii: " ")) else { return }
        // libcurl has checked the line: three digits.
        for byte in statusLine[(space + 1)...].prefix(3) where byte.isDigit {
            status = status * 10 + Int(byte - UInt8(ascii: "0"))
        }
    }

    private mutating func note(_ line: UnsafeBufferPointer<UInt8>) {
        guard let first = line.first, !first.isBlank else {
            // It goes on with the line before (RFC 9112, section 5.2), which no honest server does with these.
            if last != nil { hidesLength = true }
            return
        }
        last = Self.notable(line)
        guard let last else { return }
        let value = UnsafeBufferPointer(rebasing: line[(Self.nameLength(of: last) + 1)...]).trimmed
        switch last {
        case .transferEncoding:
            hidesLength = true
        case .contentEncoding:
            if !value.equals("identity") { hidesLength = true }
        case .contentLength:
            let isOne = contentLength == nil && value.allSatisfy(\.isDigit)
            contentLength = isOne ? Int(String(decoding: value, as: UTF8.self)) : nil
            if contentLength == nil { hidesLength = true }
        }
    }

    private static func notable(_ line: UnsafeBufferPointer<UInt8>) -> Notable? {
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

    fileprivate func equals(_ word: StaticString) -> Bool {
        count == word.utf8CodeUnitCount && begins(word)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
