extension ResponseHead {
    /// From `Content-Length`, which counts the coded bytes and means nothing beside `Transfer-Encoding` (RFC 9112,
    /// section 6.3).
    var expectedBodyBytes: Int? {
        guard value(.transferEncoding) == nil, let text = value(.contentLength), let length = Self.length(text)
        else { return nil }
        if let coding = value(.contentEncoding), coding.lowercased() != "identity" { return nil }
        return length
    }

    /// Why nobody can tell where the body ends; `nil` if that is clear.
    ///
    /// libcurl takes the last of several lengths, and of each the digits it begins with. Others on the way may take
    /// another one, and the rest for the next response (RFC 9112, section 11.1).
    var framingProblem: String? {
        guard value(.transferEncoding) == nil, let text = value(.contentLength), Self.length(text) == nil
        else { return nil }
        return "Content-Length: \(text.prefix(100))"
    }

    /// One number of bytes, which may be said several times (RFC 9110, section 8.6).
    private static func length(_ text: String) -> Int? {
        var length: Int?
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            var digits = part.drop { $0 == 0x20 || $0 == 0x09 }
            while digits.last == 0x20 || digits.last == 0x09 { digits.removeLast() }
            // `Int` itself would take a sign.
            guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = Int(String(Substring(digits))), length == nil || number == length
            else { return nil }
            length = number
        }
        return length
    }
}
