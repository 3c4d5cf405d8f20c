import Testing

@testable import HalcyonHTTP

@Suite("a content decoder")
struct ContentDecoderTests {
    private static let text = CodedFixture.text
    private static let twoMembers = CodedFixture.gzip + CodedFixture.gzip

    /// A coding and the bytes in it that stand for the text.
    private static let streams: [(ContentCoding, [UInt8])] = [
        (.gzip, CodedFixture.gzip), (.deflate, CodedFixture.zlib), (.deflate, CodedFixture.raw),
    ]

    @Test("undoes each coding, however its bytes are cut into parts", arguments: 1...60)
    func parts(step: Int) {
        for (coding, bytes) in Self.streams {
            #expect(decode([coding], bytes, step: step) == .success(Self.text))
            #expect(decode([coding], bytes, step: step, pausing: true) == .success(Self.text))
        }
    }

    @Test("takes no stream that is cut off for a whole one, wherever that is")
    func truncation() {
        for (coding, bytes) in Self.streams {
            // Nothing at all stands for nothing, and a checksum may be missing as a whole.
            let blocks = bytes.count - Self.checksumLength(of: bytes)
            for length in 1..<bytes.count {
                let result = decode([coding], Array(bytes[..<length]))
                let isWhole = length == blocks
                #expect(isWhole ? result == .success(Self.text) : result.isFailure, "\(coding), \(length) bytes")
            }
        }
        #expect(decode([.gzip], []) == .success([]))
        #expect(decode([.deflate], []) == .success([]))
    }

    /// The number of bytes behind the blocks of a stream: checksum and length in gzip, a checksum in the zlib format.
    private static func checksumLength(of bytes: [UInt8]) -> Int {
        bytes.starts(with: [31, 139]) ? 8 : bytes == CodedFixture.zlib ? 4 : 0
    }

    @Test(
        "takes the blocks of a stream for its content where no checksum follows, however they are cut",
        arguments: 1...9
    )
    func missingChecksum(step: Int) {
        for (coding, bytes) in Self.streams {
            let blocks = Array(bytes.dropLast(Self.checksumLength(of: bytes)))
            #expect(decode([coding], blocks, step: step) == .success(Self.text))
            #expect(decode([coding], blocks, step: step, pausing: true) == .success(Self.text))
        }
        // A block more, and no end.
        let stored: [UInt8] = [0, 1, 0, 254, 255, 7]
        #expect(decode([.deflate], stored, step: step).isFailure)
    }

    @Test("gives an error or the exact content for a stream with any one byte changed to any other")
    func damage() {
        for (coding, bytes) in [Self.streams[0], Self.streams[1], (.gzip, CodedFixture.emptyGzip)] {
            let content = bytes == CodedFixture.emptyGzip ? [] : Self.text
            var harmless = 0
            for position in bytes.indices {
                for change in UInt8(1)...255 {
                    var damaged = bytes
                    damaged[position] ^= change
                    guard case .success(let result) = decode([coding], damaged) else { continue }
                    harmless += 1
                    if result != content { Issue.record("\(coding): byte \(position) changed by \(change)") }
                }
            }
            // The time, the system and some flags of gzip's header may be any.
            if coding == .gzip { #expect(harmless >= 6 * 255) }
        }
    }

    @Test("joins the members of a gzip stream, empty ones too")
    func members() {
        for step in [1, 7, 52, 53, 1000] {
            #expect(decode([.gzip], Self.twoMembers, step: step) == .success(Self.text + Self.text))
            let bytes = CodedFixture.emptyGzip + CodedFixture.gzip + CodedFixture.emptyGzip + [0, 0, 0]
            #expect(decode([.gzip], bytes, step: step) == .success(Self.text))
        }
        for length in (CodedFixture.gzip.count + 2)..<Self.twoMembers.count where length != Self.twoMembers.count - 8 {
            #expect(decode([.gzip], Array(Self.twoMembers[..<length])).isFailure)
        }
    }

    @Test("leaves out what follows the end, unless it begins another member", arguments: [1, 2, 1000])
    func trailer(step: Int) {
        let garbage = Array("\r\n\u{1F}garbage".utf8)
        for trailer: [UInt8] in [[1], [0, 1], [0] + CodedFixture.gzip, garbage, [31], [31, 1], [31, 31, 139]] {
            #expect(decode([.gzip], CodedFixture.gzip + trailer, step: step) == .success(Self.text))
            #expect(decode([.deflate], CodedFixture.zlib + trailer, step: step) == .success(Self.text))
            #expect(decode([.deflate], CodedFixture.raw + trailer, step: step) == .success(Self.text))
        }
        for trailer: [UInt8] in [[31, 139], [31, 139, 8, 0, 1]] {
            #expect(decode([.gzip], CodedFixture.gzip + trailer, step: step).isFailure)
        }
    }

    @Test("does not take a stream of zlib that needs a dictionary")
    func dictionary() {
        #expect(decode([.deflate], [0x78, 0xBB, 0, 0, 0, 1, 3, 0]).isFailure)
    }

    @Test("undoes several codings, the last one first", arguments: [1, 5, 1000])
    func several(step: Int) {
        let expected = Array(String(repeating: "halcyon ", count: 1250).utf8)
        #expect(decode([.gzip, .gzip], GzipFixture.twice, step: step) == .success(expected))
        #expect(decode([.gzip, .gzip], GzipFixture.twice, step: step, pausing: true) == .success(expected))
        for length in 1..<GzipFixture.twice.count where length != GzipFixture.twice.count - 8 {
            #expect(decode([.gzip, .gzip], Array(GzipFixture.twice[..<length])).isFailure)
        }
        // They stand for what is another stream; that this one ends is not enough.
        #expect(decode([.gzip, .gzip], CodedFixture.gzip).isFailure)
    }

    @Test("gives out what a bomb stands for in small pieces, and goes on after each where it was")
    func bomb() throws {
        let bytes = GzipFixture.bombHead + [UInt8](repeating: 0, count: 512)
        var sizes: [Int] = []
        for pausing in [false, true] {
            let decoder = ContentDecoder([.gzip], contentLimit: 1)
            var size = 0
            var isOut = false
            while !isOut {
                isOut = try bytes.withUnsafeBytes { bytes in
                    try decoder.decode(bytes) { piece in
                        #expect(piece.count <= ContentDecoder.pieceSize)
                        #expect(piece.allSatisfy { $0 == 0 })
                        size += piece.count
                        return !pausing
                    }
                }
            }
            #expect(!decoder.isAtEnd)
            sizes.append(size)
        }
        #expect(sizes[0] > 512 * 1000)
        #expect(sizes[0] == sizes[1])
    }

    @Test("ends a bomb under another coding, which gives out nothing")
    func hiddenBomb() {
        // Zeros are no gzip stream; as a raw one they are stored blocks of a wrong length. So the outer stream has to
        // stand for something that decodes to nothing: empty stored blocks.
        let blocks = [[UInt8]](repeating: [0, 0, 0, 255, 255], count: 40_000).flatMap { $0 }
        let outer = Self.stored(blocks)
        #expect(decode([.deflate, .deflate], outer, contentLimit: 1000) == .failure(.tooLarge))
        // Alone, they are as long as they look.
        #expect(decode([.deflate], blocks, contentLimit: 1000) == .failure(.tooLarge))
        // Where that is allowed, they only lack their end.
        #expect(decode([.deflate], blocks, contentLimit: blocks.count) == .failure(.malformed("too short")))
    }

    @Test("takes no more coded bytes than the content may have, and some more", arguments: [1, 7, 4096, .max])
    func endlessInput(step: Int) {
        let members = Array([[UInt8]](repeating: CodedFixture.emptyGzip, count: 10_000).joined())
        #expect(decode([.gzip], members, step: step, contentLimit: 1000) == .failure(.tooLarge))
        #expect(decode([.gzip], members, step: step, pausing: true, contentLimit: 1000) == .failure(.tooLarge))
        #expect(decode([.gzip], members, step: step, contentLimit: members.count) == .success([]))
    }

    /// A raw stream of stored blocks (RFC 1951, section 3.2.4).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let block = rest.prefix(60_000)
            rest = rest.dropFirst(block.count)
            let low = UInt8(block.count & 0xFF)
            let high = UInt8(block.count >> 8)
            stream += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + block
        }
        return stream
    }
}

extension Result {
    fileprivate var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}
