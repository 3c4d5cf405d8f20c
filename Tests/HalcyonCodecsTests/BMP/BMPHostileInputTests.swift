import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("BMP decoder, hostile and damaged input")
struct BMPHostileInputTests {
    private func decode(
        _ data: Data,
        limits: DecodeLimits = .standard,
        damage: DamageHandling = .isRefused
    ) throws -> DecodedImage {
        try BMPDecoder().decode(data, options: DecodeOptions(limits: limits, damage: damage), isCancelled: { false })
    }

    private static let runs = BMPBytes.file(
        BMPBytes.header(4, 2, bits: 8, compression: 1, colors: 4),
        BMPBytes.fourColors,
        [2, 1, 2, 2, 0, 0, 0, 4, 1, 2, 3, 1, 0, 1]
    )

    @Test("a file cut at any byte is truncated")
    func truncation() throws {
        let whole = try BMPEncoder().encode(try TestImages.translucent(4, 3), options: EncodeOptions())
        for count in 1..<whole.count {
            #expect(throws: CodecError.truncated(.bmp), "\(count) bytes") { try decode(whole.prefix(count)) }
        }
        for count in 1..<Self.runs.count - 2 {
            #expect(throws: CodecError.truncated(.bmp), "\(count) bytes") { try decode(Self.runs.prefix(count)) }
        }
        #expect(throws: CodecError.empty) { try decode(Data()) }
    }

    @Test("changed bytes give an image or a typed error, never a crash", arguments: 0..<6)
    func damage(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let files = [
            Self.runs,
            try BMPEncoder().encode(try TestImages.translucent(9, 7), options: EncodeOptions()),
            try BMPEncoder().encode(try TestImages.photo(9, 7), options: EncodeOptions()),
            BMPBytes.file(BMPBytes.header(3, 1, bits: 4, colors: 4), BMPBytes.fourColors, [0x12, 0x30, 0, 0]),
        ]
        for file in files {
            for _ in 0..<150 {
                do {
                    let damaged = random.damage(file)
                    _ = try? decode(damaged, limits: DecodeLimits(memory: 16 << 20))
                    _ = try decode(damaged, limits: DecodeLimits(memory: 16 << 20), damage: .showsWhatIsThere)
                } catch {
                    #expect(error is CodecError)
                }
            }
        }
    }

    @Test("contradictions are named")
    func contradictions() {
        func fails(_ header: [UInt8], with reason: String) {
            #expect(throws: CodecError.corrupt(.bmp, reason: reason)) {
                try decode(BMPBytes.file(header, [UInt8](repeating: 0, count: 64)))
            }
        }
        fails(BMPBytes.header(0, 1, bits: 24), with: "the image has a size of 0×1")
        fails(BMPBytes.header(-1, 1, bits: 24), with: "the image has a size of -1×1")
        fails(BMPBytes.header(1, 1, bits: 7), with: "7 bits a pixel")
        fails(BMPBytes.header(1, 1, bits: 16, compression: 1), with: "16 bits a pixel do not go with its compression")
        fails(BMPBytes.header(1, 1, bits: 8, compression: 2), with: "8 bits a pixel do not go with its compression")
        fails(BMPBytes.number(13) + [UInt8](repeating: 0, count: 60), with: "a header of 13 bytes")
        #expect(throws: CodecError.corrupt(.bmp, reason: "the signature is missing")) { try decode(Data("BA".utf8)) }
    }

    @Test("sides, pixels, memory and frames are limited before memory is taken")
    func limits() throws {
        let size = PixelSize(60_000, 60_000)
        let large = BMPBytes.file(BMPBytes.header(60_000, 60_000, bits: 8, compression: 1), [0, 1])
        let limits = DecodeLimits.standard
        #expect(throws: CodecError.limitExceeded(.bmp, .pixelCount(size, maximum: limits.pixelCount))) {
            try decode(large)
        }
        #expect(throws: CodecError.limitExceeded(.bmp, .sideLength(size, maximum: 100))) {
            try decode(large, limits: DecodeLimits(sideLength: 100))
        }
        let needed = size.height * ((size.width * 4 + 63) / 64 * 64)
        #expect(throws: CodecError.limitExceeded(.bmp, .memory(needed, maximum: 1 << 20))) {
            try decode(large, limits: DecodeLimits(pixelCount: .max, memory: 1 << 20))
        }
        #expect(try BMPDecoder().info(of: large, limits: limits).size == size)
        let longest = BMPBytes.file(BMPBytes.header(Int(Int32.max), Int(Int32.min), bits: 32), [0, 1])
        #expect(throws: CodecError.self) {
            try decode(longest, limits: DecodeLimits(pixelCount: .max, sideLength: .max))
        }
        let unlimited = DecodeLimits(pixelCount: .max, sideLength: .max, memory: .max)
        let longestSize = PixelSize(Int(Int32.max), -Int(Int32.min))
        #expect(throws: CodecError.bitmap(.invalidSize(longestSize))) { try decode(longest, limits: unlimited) }
        #expect(throws: CodecError.noSuchFrame(1, frameCount: 1)) {
            try BMPDecoder().decode(Self.runs, options: DecodeOptions(frame: 1), isCancelled: { false })
        }
    }

    @Test("a cancelled decode ends between rows, and between codes")
    func cancellation() throws {
        let rows = try BMPEncoder().encode(try TestImages.photo(4, 40), options: EncodeOptions())
        let codes = [UInt8](repeating: 1, count: 2 * 9_000) + [0, 1]
        let runs = BMPBytes.file(BMPBytes.header(4, 2, bits: 8, compression: 1, colors: 4), BMPBytes.fourColors, codes)
        for data in [rows, runs] {
            let questions = QuestionCounter(cancelledFrom: 2)
            #expect(throws: CancellationError.self) {
                try BMPDecoder().decode(data, options: DecodeOptions(), isCancelled: questions.ask)
            }
            #expect(questions.count == 2)
        }
    }

    @Test("a file cut short shows the rows that are there, the rest is clear")
    func cutShort() throws {
        let rows = try BMPEncoder().encode(try TestImages.photo(4, 9), options: EncodeOptions())
        for (file, size, missing) in [(rows, PixelSize(4, 9), 20), (Self.runs, PixelSize(4, 2), 6)] {
            let whole = try decode(file).bitmap
            let part = try decode(file.dropLast(missing), damage: .showsWhatIsThere)
            #expect(part.isPartial && part.size == size && !part.bitmap.isOpaque)
            // The lowest row comes first.
            let last = size.height - 1
            #expect(part.bitmap[0, 0] == [0, 0, 0, 0] && part.bitmap[3, last] == whole[3, last])
            #expect(throws: CodecError.truncated(.bmp)) { try decode(file.prefix(56), damage: .showsWhatIsThere) }
            #expect(try !decode(file, damage: .showsWhatIsThere).isPartial)
        }
    }
}
