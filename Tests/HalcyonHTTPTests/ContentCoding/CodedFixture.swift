import Testing

@testable import HalcyonHTTP

/// One text in each coding, made once with zlib at level 9.
enum CodedFixture {
    static let text = Array(String(repeating: "The halcyon is a kingfisher. ", count: 3).utf8)

    static let gzip: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 11, 201, 72, 85, 200, 72, 204, 73, 174, 204, 207, 83, 200, 44, 86, 72, 84, 200,
        206, 204, 75, 79, 203, 44, 206, 72, 45, 210, 83, 8, 33, 91, 18, 0, 46, 174, 190, 179, 87, 0, 0, 0,
    ]

    /// RFC 1950.
    static let zlib: [UInt8] = [
        120, 218, 11, 201, 72, 85, 200, 72, 204, 73, 174, 204, 207, 83, 200, 44, 86, 72, 84, 200, 206, 204, 75, 79, 203,
        44, 206, 72, 45, 210, 83, 8, 33, 91, 18, 0, 81, 82, 30, 205,
    ]

    /// RFC 1951.
    static let raw = Array(zlib[2..<36])

    /// No bytes, in gzip.
    static let emptyGzip: [UInt8] = [31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]

    /// A coded body without end or content.
    struct Nothing: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let coding: String
        var head: [UInt8] = []
        let repeated: [UInt8]
    }

    static let nothings = [
        Nothing(
            testDescription: "empty members",
            coding: "gzip",
            repeated: Array(repeating: emptyGzip, count: 100).flatMap { $0 }
        ),
        Nothing(
            testDescription: "zeros after the end",
            coding: "gzip",
            head: emptyGzip,
            repeated: .init(repeating: 0, count: 4096)
        ),
        // Flag 8 of RFC 1952, section 2.3.1: a name, up to a zero.
        Nothing(
            testDescription: "a name in the header",
            coding: "gzip",
            head: [31, 139, 8, 8, 0, 0, 0, 0, 2, 3],
            repeated: .init(repeating: 0x61, count: 4096)
        ),
        // Stored blocks without a byte (RFC 1951, section 3.2.4).
        Nothing(
            testDescription: "empty blocks",
            coding: "deflate",
            head: [120, 218],
            repeated: Array(repeating: [0, 0, 0, 0xFF, 0xFF] as [UInt8], count: 100).flatMap { $0 }
        ),
        Nothing(
            testDescription: "empty members in gzip",
            coding: "gzip, gzip",
            repeated: Array(repeating: emptyGzip, count: 100).flatMap { $0 }
        ),
    ]
}

/// What `bytes` stand for, given in parts of `step` bytes; if `pausing`, stops after each piece, and goes on with the same
/// bytes.
func decode(
    _ codings: [ContentCoding],
    _ bytes: [UInt8],
    step: Int = .max,
    pausing: Bool = false,
    contentLimit: Int = 1 << 30
) -> Result<[UInt8], ContentDecodingError> {
    let decoder = ContentDecoder(codings, contentLimit: contentLimit)
    var content: [UInt8] = []
    do throws(ContentDecodingError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(step))
            rest = rest.dropFirst(part.count)
            var isOut = false
            while !isOut {
                isOut = try part.withUnsafeBufferPointer { part throws(ContentDecodingError) in
                    try decoder.decode(UnsafeRawBufferPointer(part)) { piece in
                        content += piece
                        return !pausing
                    }
                }
            }
        }
    } catch {
        return .failure(error)
    }
    return decoder.isAtEnd ? .success(content) : .failure(.malformed("too short"))
}
