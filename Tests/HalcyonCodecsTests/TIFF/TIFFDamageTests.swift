#if TIFF
import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("Damaged and hostile TIFF")
struct TIFFDamageTests {
    private let decoder = TIFFDecoder()

    private func decode(_ data: Data, limits: DecodeLimits = .standard, frame: Int = 0) throws -> DecodedImage {
        try decoder.decode(data, options: DecodeOptions(frame: frame, limits: limits), isCancelled: { false })
    }

    private func entry(_ tag: Int, _ values: Int...) -> TIFFBytes.Entry {
        TIFFBytes.Entry(tag: tag, type: 4, values: values)
    }

    private func file(_ entries: [TIFFBytes.Entry]) -> Data {
        var file = TIFFBytes()
        file.addPage(width: 4, height: 4, samples: [UInt8](repeating: 9, count: 16), entries)
        return file.data
    }

    @Test("a file cut at any byte is truncated, because its directory comes last", arguments: [false, true])
    func truncation(_ isBig: Bool) throws {
        var file = TIFFBytes(isBig: isBig)
        file.addPage(width: 5, height: 3, samples: [UInt8](repeating: 7, count: 15))
        let data = file.data
        #expect(throws: CodecError.empty) { try decode(Data()) }
        // The last bytes say that there is no further page.
        for length in 1..<data.count - (isBig ? 8 : 4) {
            #expect(throws: CodecError.truncated(.tiff), "cut at \(length)") { try decode(data.prefix(length)) }
            #expect(throws: CodecError.truncated(.tiff), "cut at \(length)") {
                try decoder.info(of: data.prefix(length), limits: .standard)
            }
        }
    }

    @Test("samples beyond the end of the file are truncated")
    func missingSamples() {
        #expect(throws: CodecError.truncated(.tiff)) { try decode(file([entry(273, 90_000)])) }
        #expect(throws: CodecError.truncated(.tiff)) { try decode(file([entry(279, 90_000), entry(259, 5)])) }
    }

    @Test("sizes are checked against the limits before any memory is taken")
    func limits() {
        let large = file([entry(256, 60_000), entry(257, 60_000), entry(278, 1)])
        #expect(throws: CodecError.limitExceeded(.tiff, .pixelCount(PixelSize(60_000, 60_000), maximum: 1 << 28))) {
            try decode(large)
        }
        #expect(throws: CodecError.limitExceeded(.tiff, .sideLength(PixelSize(1 << 31, 4), maximum: 1 << 26))) {
            try decode(file([entry(256, 1 << 31)]))
        }
        #expect(throws: CodecError.limitExceeded(.tiff, .memory(256, maximum: 255))) {
            try decode(file([]), limits: DecodeLimits(memory: 255))
        }
        let turned = file([entry(274, 6)])
        #expect(throws: CodecError.limitExceeded(.tiff, .memory(512, maximum: 511))) {
            try decode(turned, limits: DecodeLimits(memory: 511))
        }
        // A tile of 4 GB.
        let tile = file([entry(322, 65_520), entry(323, 65_520), entry(324, 8), entry(325, 16)])
        #expect(throws: CodecError.self) { try decode(tile) }
    }

    @Test("what contradicts itself or is not known gets a typed error")
    func contradictions() {
        #expect(throws: CodecError.corrupt(.tiff, reason: "an image of 0×4 pixels")) {
            try decode(file([entry(256, 0)]))
        }
        #expect(throws: CodecError.corrupt(.tiff, reason: "version 44")) {
            try decode(Data([0x49, 0x49, 44, 0, 8, 0, 0, 0]))
        }
        #expect(throws: CodecError.corrupt(.tiff, reason: "no directory")) {
            try decode(Data([0x49, 0x49, 42, 0, 0, 0, 0, 0]))
        }
        #expect(throws: CodecError.unsupported(.tiff, reason: "compression 60000")) {
            try decode(file([entry(259, 60_000)]))
        }
        #expect(throws: CodecError.unsupported(.tiff, reason: "photometric interpretation 32803")) {
            try decode(file([entry(262, 32_803)]))
        }
        #expect(throws: CodecError.unsupported(.tiff, reason: "samples of 20 bits")) {
            try decode(file([entry(258, 20)]))
        }
        #expect(throws: CodecError.unsupported(.tiff, reason: "complex samples")) {
            try decode(file([entry(258, 32), entry(339, 6)]))
        }
        #expect(throws: CodecError.self) { try decode(file([entry(258, 4), entry(262, 3)])) }
    }

    @Test("cancelling ends decoding between rows")
    func cancellation() {
        var file = TIFFBytes()
        file.addPage(width: 2, height: 200, samples: [UInt8](repeating: 0, count: 400))
        let questions = QuestionCounter(cancelledFrom: 3)
        #expect(throws: CancellationError.self) {
            try decoder.decode(file.data, options: DecodeOptions(), isCancelled: { questions.ask() })
        }
        #expect(questions.count == 3)
    }

    @Test("random damage ends in an image or a typed error", arguments: [1, 2, 3, 4] as [UInt64])
    func randomDamage(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let bitmap = try Bitmap.sample(PixelSize(30, 20), hasAlpha: true)
        var pages = TIFFBytes(isBig: seed % 2 == 0)
        pages.addPage(width: 9, height: 9, samples: [UInt8](0..<81))
        pages.addPage(width: 8, height: 2, samples: [1, 2], [entry(258, 1), entry(262, 0)])
        let files = [try TIFFEncoder().encode(bitmap, options: EncodeOptions()), pages.data]
        let limits = DecodeLimits(pixelCount: 1 << 18, memory: 8 << 20)
        for file in files {
            for round in 0..<400 {
                let damaged = random.damage(file)
                do {
                    _ = try decoder.info(of: damaged, limits: limits)
                    _ = try decode(damaged, limits: limits, frame: round % 2)
                } catch {
                    #expect(error is CodecError, "\(error)")
                }
            }
        }
    }
}
#endif
