internal import HTTPTypes

/// The names of header fields that most responses have. To check and to lower-case a name takes much longer than to
/// find it here.
///
/// In the two spellings that servers use, because ``HTTPTypes/HTTPField/Name`` keeps the case they were received in.
enum KnownFieldNames {
    private struct Entry {
        let bytes: [UInt8]
        let name: HTTPField.Name
    }

    private static let placeCount = 256
    /// The entries by hash; of two with the same place, one is left out.
    private static let places: [Entry?] = {
        var places = [Entry?](repeating: nil, count: placeCount)
        for spelling in spellings.flatMap({ [$0, $0.lowercased()] }) {
            guard let name = HTTPField.Name(spelling) else { continue }
            let bytes = Array(spelling.utf8)
            let place = bytes.withUnsafeBufferPointer { Self.place($0) }
            if places[place] == nil { places[place] = Entry(bytes: bytes, name: name) }
        }
        return places
    }()

    private static let spellings = [
        "Content-Type", "Content-Length", "Date", "ETag", "Last-Modified", "Cache-Control", "Expires", "Server",
        "Connection", "Accept-Ranges", "Vary", "Age", "Via", "Content-Encoding", "Transfer-Encoding", "Set-Cookie",
        "Strict-Transport-Security", "Access-Control-Allow-Origin", "X-Content-Type-Options", "X-Cache", "Keep-Alive",
        "Alt-Svc", "CF-Ray", "CF-Cache-Status", "Content-Disposition", "Timing-Allow-Origin", "Content-Range",
        "X-XSS-Protection", "X-Frame-Options", "Location", "Link", "Pragma", "Report-To", "NEL", "X-Served-By",
        "X-Cache-Hits", "X-Timer", "X-Powered-By", "Cross-Origin-Resource-Policy", "Content-Security-Policy",
        "X-Amz-Cf-Id", "X-Amz-Cf-Pop", "Referrer-Policy", "Server-Timing", "Content-Language", "Retry-After",
    ]

    /// Returns the name spelled by `bytes`; `nil` if it is not known.
    static func name(_ bytes: UnsafeBufferPointer<UInt8>) -> HTTPField.Name? {
        guard let entry = places[place(bytes)], entry.bytes.elementsEqual(bytes) else { return nil }
        return entry.name
    }

    /// Returns the place of a name, by the hash FNV-1a.
    private static func place(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var hash: UInt32 = 2_166_136_261
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int((hash ^ (hash >> 16)) & UInt32(placeCount - 1))
    }
}
