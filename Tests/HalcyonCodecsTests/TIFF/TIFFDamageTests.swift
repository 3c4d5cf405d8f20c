import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonTIFF

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
        for count in 1...(isBig ? 8 : 4) {
            #expect(try !decode(data.dropLast(count)).isPartial)
        }
        for length in 1..<data.count - (isBig ? 8 : 4) {
            #expect(throws: CodecError.truncated(.tiff), "cut at \(length)") { try decode(data.prefix(length)) }
            #expect(throws: CodecError.truncated(.tiff), "cut at \(length)") {
                try decoder.info(of: data.prefix(length), limits: .standard)
            }
        }
    }

    @Test("a sample has 1 to 64 bits, whatever the header says", arguments: [(0, 1), (32, 32), (.max, 64)])
    func bitDepth(stated: Int, described: Int) throws {
        let data = file([entry(258, min(stated, Int(UInt32.max)))])
        #expect(try decoder.info(of: data, limits: .standard).bitDepth == described)
    }

    @Test("samples beyond the end of the file are truncated")
    func missingSamples() {
        #expect(throws: CodecError.truncated(.tiff)) { try decode(file([entry(273, 90_000)])) }
        #expect(throws: CodecError.truncated(.tiff)) { try decode(file([entry(279, 90_000), entry(259, 5)])) }
    }

    /// Three strips of two rows of four samples, of which the one in the middle is nowhere.
    private func strips(_ entries: [TIFFBytes.Entry] = [], byteCount: Int = 8) -> Data {
        var file = TIFFBytes()
        let strip = file.bytes.count
        file.addPage(
            width: 4,
            height: 6,
            samples: [UInt8](repeating: 200, count: byteCount),
            [entry(273, strip, 90_000, strip), entry(279, byteCount, 1, byteCount), entry(278, 2)] + entries
        )
        return file.data
    }

    @Test("a strip that is missing is grey, or clear where there is alpha, and the image says that it is partial")
    func missingStrip() throws {
        let image = try decode(strips())
        #expect(image.isPartial && image.bitmap.isOpaque)
        for y in 0..<6 {
            #expect(image.bitmap[3, y] == (2..<4 ~= y ? [128, 128, 128, 255] : [200, 200, 200, 255]))
        }
        let alpha = [entry(258, 8, 8), entry(277, 2), entry(338, 2)]
        let clear = try decode(strips(alpha, byteCount: 16))
        #expect(clear.isPartial && clear.bitmap[0, 2] == [0, 0, 0, 0] && clear.bitmap[0, 4][3] == 200)
        let options = DecodeOptions(keepsSixteenBits: true)
        let wide = try decoder.decode(strips([entry(258, 16)], byteCount: 16), options: options, isCancelled: { false })
        #expect(wide.isPartial && wide.bitmap.straightRGBA16()[4 * 4 * 2 + 3] == .max)
        #expect(throws: CodecError.self) {
            try decoder.decode(strips(), options: DecodeOptions(damage: .isRefused), isCancelled: { false })
        }
        #expect(try !decode(file([])).isPartial)
    }

    @Test("a tile that is missing is grey")
    func missingTile() throws {
        var file = TIFFBytes()
        let tile = file.place([UInt8](repeating: 200, count: 256))
        let tiles = [entry(322, 16), entry(323, 16), entry(324, 90_000, tile), entry(325, 1, 256)]
        file.addPage(width: 32, height: 16, samples: [], tiles)
        let image = try decode(file.data)
        #expect(image.isPartial)
        #expect(image.bitmap[15, 15] == [128, 128, 128, 255] && image.bitmap[16, 0] == [200, 200, 200, 255])
    }

    @Test("a file cut short shows the strips that are there")
    func cutShort() throws {
        var file = TIFFBytes()
        // The directory first, then the strips.
        file.addPage(
            width: 4,
            height: 4,
            samples: [],
            [entry(273, 200, 208), entry(279, 8, 8), entry(278, 2)]
        )
        let whole = file.data + Data(count: 200 - file.bytes.count) + Data(repeating: 9, count: 16)
        #expect(try !decode(whole).isPartial)
        for length in 200..<216 {
            // Rows have four bytes.
            let rowCount = (length - 200) / 4
            guard rowCount > 0 else {
                #expect(throws: CodecError.truncated(.tiff)) { try decode(whole.prefix(length)) }
                continue
            }
            let cut = try decode(whole.prefix(length))
            #expect(cut.isPartial)
            for y in 0..<4 {
                #expect(cut.bitmap[0, y] == (y < rowCount ? [9, 9, 9, 255] : [128, 128, 128, 255]), "\(length)")
            }
            let options = DecodeOptions(damage: .isRefused)
            #expect(throws: CodecError.truncated(.tiff)) {
                try decoder.decode(whole.prefix(length), options: options, isCancelled: { false })
            }
        }
    }

    @Test("rows that libtiff converts are grey where their bytes are missing")
    func cutShortConverted() throws {
        var file = TIFFBytes()
        let converted = [entry(258, 8, 8, 8), entry(262, 6), entry(277, 3), entry(530, 1, 1)]
        file.addPage(width: 4, height: 4, samples: [], converted + [entry(273, 300), entry(279, 48)])
        let rows = Data((0..<16).flatMap { _ in [200, 128, 128] as [UInt8] })
        let whole = file.data + Data(count: 300 - file.bytes.count) + rows
        #expect(try !decode(whole).isPartial)
        let cut = try decode(whole.prefix(324))
        #expect(cut.isPartial && cut.bitmap[3, 1] == [200, 200, 200, 255])
        #expect(cut.bitmap[0, 2] == [128, 128, 128, 255] && cut.bitmap[3, 3] == [128, 128, 128, 255])
    }

    @Test("rows that libtiff converts are grey where the bytes of one of their planes are missing")
    func cutConvertedPlane() throws {
        var file = TIFFBytes()
        let (start, planeSize) = (400, 4 * 8)
        let entries = [
            entry(258, 8, 8, 8), entry(262, 6), entry(277, 3), entry(284, 2), entry(530, 1, 1),
            entry(273, start, start + planeSize, start + 2 * planeSize), entry(279, planeSize, planeSize, planeSize),
        ]
        file.addPage(width: 4, height: 8, samples: [], entries)
        let planes = [UInt8(90), 60, 200].flatMap { [UInt8](repeating: $0, count: planeSize) }
        let whole = file.data + Data(count: start - file.bytes.count) + planes
        let image = try decode(whole)
        #expect(!image.isPartial)
        for (count, rowCount) in [(whole.count - 1, 7), (start + 2 * planeSize + 12, 3)] {
            let cut = try decode(whole.prefix(count))
            #expect(cut.isPartial)
            for y in 0..<8 {
                #expect(cut.bitmap[3, y] == (y < rowCount ? image.bitmap[3, y] : [128, 128, 128, 255]), "\(count)")
            }
        }
    }

    @Test("planes that are there are shown where another is cut short, in one strip or in several", arguments: [1, 4])
    func cutPlane(stripCount: Int) throws {
        var file = TIFFBytes()
        let (start, planeSize, stripSize) = (400, 4 * 8, 4 * 8 / stripCount)
        let strips = (0..<3 * stripCount).map { start + $0 * stripSize }
        let entries = [
            entry(258, 8, 8, 8), entry(262, 2), entry(277, 3), entry(284, 2), entry(278, 8 / stripCount),
            TIFFBytes.Entry(tag: 273, type: 4, values: strips),
            TIFFBytes.Entry(tag: 279, type: 4, values: strips.map { _ in stripSize }),
        ]
        file.addPage(width: 4, height: 8, samples: [], entries)
        let planes = [UInt8(90), 60, 30].flatMap { [UInt8](repeating: $0, count: planeSize) }
        let whole = file.data + Data(count: start - file.bytes.count) + planes
        #expect(try !decode(whole).isPartial)
        // The half of the second plane.
        let cut = whole.prefix(start + planeSize * 3 / 2)
        let image = try decode(cut)
        #expect(image.isPartial && image.bitmap[0, 0] == [90, 60, 0, 255] && image.bitmap[0, 7] == [90, 0, 0, 255])
        var pages = try decoder.cursor(for: cut, options: DecodeOptions())
        _ = try pages.bitmap(ofFrame: 0, isCancelled: { false })
        #expect(pages.isPartial)
        #expect(throws: CodecError.truncated(.tiff)) {
            try decoder.decode(cut, options: DecodeOptions(damage: .isRefused), isCancelled: { false })
        }
        #expect(throws: CodecError.truncated(.tiff)) { try decode(whole.prefix(start)) }
    }

    @Test("an image of which nothing can be decoded is not filled")
    func nothingThere() throws {
        let questions = QuestionCounter(cancelledFrom: .max)
        // Strips of 2^16 pixels that lie beyond the end; grey, they would take 64 MB.
        let count = 256
        var file = TIFFBytes()
        let strips = TIFFBytes.Entry(tag: 273, type: 4, values: [Int](repeating: 1 << 30, count: count))
        let sizes = TIFFBytes.Entry(tag: 279, type: 4, values: [Int](repeating: 9, count: count))
        let entries = [entry(256, 1 << 16), entry(278, 1), entry(259, 5), strips, sizes]
        file.addPage(width: 1, height: count, samples: [], entries)
        #expect(throws: CodecError.truncated(.tiff)) {
            try decoder.decode(file.data, options: DecodeOptions(), isCancelled: { questions.ask() })
        }
        // One for each strip, none for filling it.
        #expect(questions.count == count)
    }

    @Test("a tile may be larger than the image, but not out of all proportion")
    func tileSizes() throws {
        var fitting = TIFFBytes()
        let tile = fitting.place([UInt8](repeating: 7, count: 65_536))
        let tiles = [entry(322, 256), entry(323, 256), entry(324, tile), entry(325, 65_536)]
        fitting.addPage(width: 4, height: 4, samples: [], tiles)
        #expect(try decode(fitting.data).bitmap[3, 3] == [7, 7, 7, 255])
        let (size, image) = (PixelSize(32_000, 32_000), PixelSize(4, 4))
        #expect(throws: CodecError.corrupt(.tiff, reason: "tiles of \(size) pixels in an image of \(image)")) {
            try decode(file([entry(322, 32_000), entry(323, 32_000), entry(324, 8), entry(325, 16)]))
        }
    }

    @Test("strips that are not there are not tried without end")
    func missingStrips() throws {
        let questions = QuestionCounter(cancelledFrom: .max)
        let file = file([entry(256, 1), entry(257, 100_000), entry(278, 1), entry(273, 8), entry(279, 1)])
        _ = try? decoder.decode(file, options: DecodeOptions(), isCancelled: { questions.ask() })
        #expect(questions.count < 5_000)
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
