import FoundationEssentials
import HalcyonCodecs
import Testing

@Suite("The texts in a PNG")
struct PNGTextTests {
    /// A PNG file of these chunks between the first and the last; nothing in it is an image.
    private func file(_ chunks: [[UInt8]]) -> Data {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let header = chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])
        return Data(signature + header + chunks.joined() + chunk("IEND", []))
    }

    private func chunk(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        let content = Array(type.utf8) + payload
        return bigEndian(UInt32(payload.count)) + content + bigEndian(checksum(content))
    }

    private func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// CRC-32 as PNG has it (W3C PNG, annex D).
    private func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
    }

    /// "hello" as a zlib stream with one stored block.
    private let compressed: [UInt8] =
        [0x78, 0x01, 0x01, 5, 0, 0xFA, 0xFF] + Array("hello".utf8) + [0x06, 0x2C, 0x02, 0x15]

    @Test("are read from all three kinds of chunks")
    func kinds() throws {
        let texts = try PNGText.texts(
            in: file([
                chunk("tEXt", Array("Plain\0a".utf8) + [0xE9]), chunk("zTXt", Array("Packed\0\0".utf8) + compressed),
                chunk("iTXt", Array("World\0\0\0de\0Welt\0é".utf8)),
                chunk("iTXt", Array("Both\0\u{1}\0\0\0".utf8) + compressed),
            ])
        )
        #expect(texts == ["Plain": "aé", "Packed": "hello", "World": "é", "Both": "hello"])
    }

    @Test("leave out what is damaged, and keep the first of two")
    func damage() throws {
        var broken = chunk("tEXt", Array("Broken\0x".utf8))
        broken[broken.count - 1] ^= 1
        let texts = try PNGText.texts(
            in: file([
                broken, chunk("tEXt", Array("None".utf8)), chunk("tEXt", Array("\0empty".utf8)),
                chunk("zTXt", Array("Method\0\u{1}".utf8) + compressed), chunk("zTXt", Array("Short\0".utf8)),
                chunk("zTXt", Array("Bad\0\0xyz".utf8)), chunk("iTXt", Array("Cut\0\0".utf8)),
                chunk("iTXt", Array("Cut2\0\0\0de".utf8)), chunk("tEXt", Array("Twice\01".utf8)),
                chunk("tEXt", Array("Twice\02".utf8)), chunk("tEXt", Array("Empty\0".utf8)),
            ])
        )
        #expect(texts == ["Twice": "1", "Empty": ""])
    }

    @Test("that are longer than there is room for are left out, whichever kind they are of")
    func limit() throws {
        for long in [
            chunk("tEXt", Array("Long\0hello".utf8)), chunk("zTXt", Array("Long\0\0".utf8) + compressed),
            chunk("iTXt", Array("Long\0\0\0\0\0hello".utf8)),
            chunk("iTXt", Array("Long\0\u{1}\0\0\0".utf8) + compressed),
        ] {
            let data = file([chunk("tEXt", Array("A\0bc".utf8)), long, chunk("tEXt", Array("D\0ef".utf8))])
            #expect(try PNGText.texts(in: data, limit: 7) == ["A": "bc", "Long": "hello"])
            #expect(try PNGText.texts(in: data, limit: 6) == ["A": "bc", "D": "ef"])
        }
    }

    @Test("after many that cannot be read are left out, as each of those may take as long as the longest")
    func unreadable() throws {
        let broken = [[UInt8]](repeating: chunk("zTXt", Array("Bad\0\0xyz".utf8)), count: 66)
        let data = file(broken + [chunk("tEXt", Array("A\0b".utf8))])
        #expect(try PNGText.texts(in: data) == [:])
    }

    @Test("of a file cut off at any length are those before the cut")
    func cut() throws {
        let whole = file([chunk("tEXt", Array("A\0b".utf8))])
        for count in 8..<whole.count {
            let texts = try PNGText.texts(in: whole.prefix(count))
            #expect(texts.isEmpty || texts == ["A": "b"])
        }
        #expect(throws: CodecError.self) { try PNGText.texts(in: Data("GIF89a".utf8)) }
        #expect(throws: CodecError.self) { try PNGText.texts(in: Data()) }
    }
}
