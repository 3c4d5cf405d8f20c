import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import HalcyonSystem
import Testing

@Suite("PNG decoder, hostile and damaged input")
struct PNGHostileInputTests {
    private func decode(
        _ data: Data,
        limits: DecodeLimits = .standard,
        damage: DamageHandling = .isRefused
    ) throws -> DecodedImage {
        try PNGDecoder().decode(data, options: DecodeOptions(limits: limits, damage: damage), isCancelled: { false })
    }

    private func shown(_ data: Data) throws -> DecodedImage { try decode(data, damage: .showsWhatIsThere) }

    private func gray(_ width: Int, _ height: Int, stream: [UInt8]) -> Data {
        PNGBytes.file([PNGBytes.header(width, height, colorType: 0), PNGBytes.chunk("IDAT", stream), PNGBytes.end])
    }

    @Test("a file cut anywhere before its last chunk is truncated, in the header and in the pixels")
    func truncation() throws {
        let whole = try PNGEncoder().encode(try TestImages.translucent(9, 9), options: EncodeOptions())
        for count in 1..<whole.count - 12 {
            #expect(throws: CodecError.truncated(.png), "\(count) bytes") { try decode(whole.prefix(count)) }
        }
        #expect(throws: CodecError.empty) { try decode(Data()) }
        // Everything but the end mark is there.
        #expect(try decode(whole.prefix(whole.count - 12)).size == PixelSize(9, 9))
    }

    @Test("the header can be read from the beginning of a file")
    func headerOfPrefix() throws {
        let whole = try PNGEncoder().encode(try TestImages.photo(40, 30), options: EncodeOptions())
        let info = try PNGDecoder().info(of: whole.prefix(80), limits: .standard)
        #expect(info.size == PixelSize(40, 30))
        #expect(throws: CodecError.truncated(.png)) { try PNGDecoder().info(of: whole.prefix(30), limits: .standard) }
    }

    @Test("flipped bytes give an image or a typed error, never a crash", arguments: 0..<8)
    func flips(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed + 1))
        let whole = try PNGEncoder().encode(try TestImages.translucent(16, 16), options: EncodeOptions())
        for _ in 0..<150 {
            var damaged = whole
            for _ in 0...random.next(below: 3) {
                damaged[random.next(below: damaged.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            do {
                _ = try? decode(damaged, limits: DecodeLimits(memory: 16 << 20))
                _ = try decode(damaged, limits: DecodeLimits(memory: 16 << 20), damage: .showsWhatIsThere)
            } catch {
                #expect(error is CodecError)
            }
        }
    }

    @Test("damaged pixels whose checksums are right give an image or a typed error")
    func damageBehindChecksums() throws {
        var random = SeededRandom(seed: 99)
        for _ in 0..<300 {
            let colorType: UInt8 = [0, 2, 3, 4, 6][random.next(below: 5)]
            let stream = (0..<random.next(below: 400)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let file = PNGBytes.file([
                PNGBytes.header(
                    1 + random.next(below: 9),
                    1 + random.next(below: 9),
                    colorType: colorType,
                    interlaced: random.next(below: 2) == 0
                ),
                PNGBytes.chunk("PLTE", [1, 2, 3]),
                PNGBytes.chunk("tRNS", Array(stream.prefix(random.next(below: 8)))),
                PNGBytes.chunk("IDAT", random.next(below: 2) == 0 ? stream : PNGBytes.stored(stream)),
                PNGBytes.end,
            ])
            do {
                _ = try? decode(file)
                _ = try shown(file)
            } catch {
                #expect(error is CodecError)
            }
        }
    }

    @Test("an image of 30,000 × 30,000 pixels is refused before memory is taken")
    func tooManyPixels() throws {
        let size = PixelSize(30_000, 30_000)
        let file = gray(30_000, 30_000, stream: PNGBytes.stored([0]))
        #expect(throws: CodecError.limitExceeded(.png, .pixelCount(size, maximum: 1 << 28))) { try decode(file) }
        #expect(try PNGDecoder().info(of: file, limits: .standard).size == size)
    }

    @Test("a side, and the memory of all buffers together, are limited")
    func otherLimits() throws {
        let long = gray(70_000, 1, stream: PNGBytes.stored([0]))
        #expect(throws: CodecError.limitExceeded(.png, .sideLength(PixelSize(70_000, 1), maximum: 69_999))) {
            try decode(long, limits: DecodeLimits(sideLength: 69_999))
        }
        let plain = gray(100, 100, stream: PNGBytes.stored([UInt8](repeating: 0, count: 10_100)))
        #expect(throws: CodecError.limitExceeded(.png, .memory(54_900, maximum: 54_899))) {
            try decode(plain, limits: DecodeLimits(memory: 54_899))
        }
        #expect(try decode(plain, limits: DecodeLimits(memory: 54_900)).size == PixelSize(100, 100))
    }

    @Test("a huge image with hardly any data is refused before memory is taken")
    func tooFewBytes() throws {
        // 268 million pixels; deflate could make 12 kB of these bytes at best.
        let file = gray(16_384, 16_384, stream: PNGBytes.stored([0]))
        for damage in [DamageHandling.isRefused, .showsWhatIsThere] {
            #expect(throws: CodecError.corrupt(.png, reason: "the stream in IDAT is too short for the image")) {
                try decode(file, damage: damage)
            }
        }
    }

    @Test("a stream with fewer bytes than the image has is corrupt", arguments: [1, 3])
    func tooShort(byteCount: Int) throws {
        let file = gray(1, 2, stream: PNGBytes.stored([UInt8](repeating: 0, count: byteCount)))
        #expect(throws: CodecError.self) { try decode(file) }
    }

    @Test(
        "chunks with impossible lengths, types, orders and contents are named in the error",
        arguments: [
            ("IHDR", [PNGBytes.chunk("IHDR", [1, 2, 3])]),
            ("not IHDR", [PNGBytes.chunk("gAMA", [0, 0, 0, 1])]),
            ("size of 0", [PNGBytes.header(0, 4, colorType: 0)]),
            ("size of 4", [PNGBytes.header(4, 0x8000_0000, colorType: 0)]),
            ("colour type 5", [PNGBytes.header(4, 4, colorType: 5)]),
            ("bit depth of 4", [PNGBytes.header(4, 4, depth: 4, colorType: 2)]),
            ("second IHDR", [PNGBytes.header(4, 4, colorType: 0), PNGBytes.header(4, 4, colorType: 0)]),
            ("no IDAT", [PNGBytes.header(4, 4, colorType: 0), PNGBytes.end]),
            ("PLTE is missing", [PNGBytes.header(4, 4, colorType: 3), PNGBytes.chunk("IDAT", []), PNGBytes.end]),
            ("PLTE has 4", [PNGBytes.header(4, 4, colorType: 3), PNGBytes.chunk("PLTE", [1, 2, 3, 4])]),
            ("has a length of", [PNGBytes.header(4, 4, colorType: 0), [0xFF, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8)]),
            ("not four letters", [PNGBytes.header(4, 4, colorType: 0), [0, 0, 0, 0, 1, 2, 3, 4]]),
            ("critical and unknown", [PNGBytes.header(4, 4, colorType: 0), PNGBytes.chunk("ABCD", [])]),
            (
                "not consecutive",
                [
                    PNGBytes.header(1, 1, colorType: 0), PNGBytes.chunk("IDAT", []), PNGBytes.chunk("fcTL", []),
                    PNGBytes.chunk("IDAT", PNGBytes.stored([0, 0])), PNGBytes.end,
                ]
            ),
        ]
    )
    func wrongChunks(words: String, chunks: [[UInt8]]) throws {
        let error = #expect(throws: CodecError.self) { try decode(PNGBytes.file(chunks)) }
        guard case .corrupt(.png, let reason) = error else {
            Issue.record("\(words): \(String(describing: error))")
            return
        }
        #expect(reason.contains(words), "\(reason)")
    }

    @Test("chunks between two IDAT are passed over, unless they are critical or of a frame")
    func interruptedImageData() throws {
        let stream = PNGBytes.stored([0, 77, 0, 78])
        let (first, rest) = (Array(stream.prefix(9)), Array(stream.dropFirst(9)))
        func file(_ type: String) -> Data {
            PNGBytes.file([
                PNGBytes.header(1, 2, colorType: 0), PNGBytes.chunk("IDAT", first), PNGBytes.chunk(type, [1, 2, 3]),
                PNGBytes.chunk("IDAT", rest), PNGBytes.end,
            ])
        }
        for type in ["tEXt", "tRNS", "iCCP", "acTL", "prVt"] {
            for damage in [DamageHandling.isRefused, .showsWhatIsThere] {
                let image = try decode(file(type), damage: damage)
                #expect(!image.isPartial && image.bitmap[0, 1] == [78, 78, 78, 255], "\(type)")
            }
        }
        for type in ["PLTE", "ABCD", "IHDR", "fcTL", "fdAT"] {
            #expect(throws: CodecError.self, "\(type)") { try decode(file(type)) }
            let image = try shown(file(type))
            #expect(image.isPartial && image.bitmap[0, 0] == [77, 77, 77, 255], "\(type)")
            #expect(image.bitmap[0, 1] == [0, 0, 0, 0], "\(type)")
        }
    }

    @Test("a wrong checksum of a critical chunk is corrupt, one of an extra is passed over")
    func checksums() throws {
        let header = PNGBytes.header(1, 1, colorType: 0)
        let data = PNGBytes.chunk("IDAT", PNGBytes.stored([0, 77]))
        var damaged = data
        damaged[damaged.count - 1] ^= 1
        let error = #expect(throws: CodecError.self) {
            try decode(PNGBytes.file([header, damaged, PNGBytes.end]))
        }
        #expect(error == .corrupt(.png, reason: "chunk IDAT at byte 33 has a wrong checksum"))
        var key = PNGBytes.chunk("tRNS", [0, 77])
        #expect(try decode(PNGBytes.file([header, key, data, PNGBytes.end])).bitmap.isOpaque == false)
        key[key.count - 1] ^= 1
        #expect(try decode(PNGBytes.file([header, key, data, PNGBytes.end])).bitmap.isOpaque)
    }

    @Test("what is wrong behind the last row changes nothing")
    func behindTheLastRow() throws {
        let header = PNGBytes.header(1, 1, colorType: 0)
        let stream = PNGBytes.stored([0, 77])
        var wrongSum = stream
        wrongSum[wrongSum.count - 1] ^= 1
        var wrongEnd = PNGBytes.end
        wrongEnd[wrongEnd.count - 1] ^= 1
        let surplus = PNGBytes.stored([0, 77] + [UInt8](repeating: 9, count: 300))
        let noChunk: [UInt8] = [0, 0, 0, 9, 0, 1, 2, 3, 4]
        for (data, end) in [(surplus, PNGBytes.end), (wrongSum, PNGBytes.end), (stream, wrongEnd), (stream, noChunk)] {
            let image = try decode(PNGBytes.file([header, PNGBytes.chunk("IDAT", data), end]))
            #expect(image.bitmap[0, 0] == [77, 77, 77, 255])
        }
    }

    @Test("an unknown filter type is corrupt")
    func unknownFilter() {
        #expect(throws: CodecError.corrupt(.png, reason: "a row has the unknown filter type 5")) {
            try decode(gray(1, 1, stream: PNGBytes.stored([5, 0])))
        }
    }

    @Test("a cancelled decode ends between rows")
    func cancellation() throws {
        let whole = try PNGEncoder().encode(try TestImages.photo(64, 256), options: EncodeOptions())
        let questions = Lock(0)
        #expect(throws: CancellationError.self) {
            try PNGDecoder().decode(whole, options: DecodeOptions()) {
                questions.withLock { count in
                    count += 1
                    return count > 5
                }
            }
        }
        #expect(questions.withLock { $0 } == 6)
    }

    @Test("a file cut short shows the rows that are there, the rest is clear")
    func cutShort() throws {
        let rows: [UInt8] = (0..<50).flatMap { (row: Int) -> [UInt8] in
            [0] + [UInt8](repeating: UInt8(row * 5), count: 10)
        }
        let file = gray(10, 50, stream: PNGBytes.stored(rows))
        // Signature and header, length and type of the chunk, the beginning of the stream and of its one block.
        let start = 33 + 8 + 7
        for rowCount in 1..<50 {
            let image = try shown(file.prefix(start + rowCount * 11 + 3))
            #expect(image.isPartial && !image.bitmap.isOpaque)
            let shade = UInt8((rowCount - 1) * 5)
            #expect(image.bitmap[9, rowCount - 1] == [shade, shade, shade, 255])
            #expect(image.bitmap[0, rowCount] == [0, 0, 0, 0] && image.bitmap[9, 49] == [0, 0, 0, 0])
        }
        for count in [33, start, start + 10] {
            #expect(throws: CodecError.truncated(.png)) { try shown(file.prefix(count)) }
        }
        #expect(try !shown(file.dropLast(14)).isPartial)
    }

    @Test("an interlaced file cut short is shown as coarsely as it is there")
    func cutInterlaced() throws {
        let file = IncrementalSample.interlaced(PixelSize(40, 40), depth: 8)
        let image = try shown(file.prefix(file.count / 2))
        #expect(image.isPartial)
        // The last pass has the odd rows, which repeat those above until then.
        #expect(image.bitmap[39, 39] == image.bitmap[39, 38])
        #expect(image.bitmap[0, 0] == (try decode(file)).bitmap[0, 0])
    }

    @Test("damage in the middle of the stream shows the rows before it")
    func damagedStream() throws {
        let rows = (0..<8).flatMap { (row: Int) -> [UInt8] in [row == 5 ? 9 : 0, 200, 200, 200, 200] }
        let image = try shown(gray(4, 8, stream: PNGBytes.stored(rows)))
        #expect(image.isPartial)
        #expect(image.bitmap[3, 4] == [200, 200, 200, 255] && image.bitmap[0, 5] == [0, 0, 0, 0])
        #expect(throws: CodecError.corrupt(.png, reason: "a row has the unknown filter type 9")) {
            try shown(gray(4, 8, stream: PNGBytes.stored([9] + rows.dropFirst())))
        }
    }

    @Test("a wrong checksum of IDAT makes an image partial only if its stream is damaged")
    func wrongChecksum() throws {
        let header = PNGBytes.header(2, 1, colorType: 0)
        let stream = PNGBytes.stored([0, 77, 78])
        var wrongCode = PNGBytes.chunk("IDAT", stream)
        wrongCode[wrongCode.count - 1] ^= 1
        var wrongByte = PNGBytes.chunk("IDAT", stream)
        wrongByte[8 + 7 + 1] = 99
        let sound = try shown(PNGBytes.file([header, wrongCode, PNGBytes.end]))
        #expect(!sound.isPartial && sound.bitmap[0, 0] == [77, 77, 77, 255])
        let damaged = try shown(PNGBytes.file([header, wrongByte, PNGBytes.end]))
        #expect(damaged.isPartial && damaged.bitmap[0, 0] == [99, 99, 99, 255])
    }

    @Test("what makes no sense behind the image ends the file")
    func behindTheImage() throws {
        let start = [PNGBytes.header(1, 1, colorType: 0), PNGBytes.chunk("IDAT", PNGBytes.stored([0, 77]))]
        for extra in [PNGBytes.chunk("ABCD", []), PNGBytes.header(1, 1, colorType: 0), PNGBytes.chunk("PLTE", [1])] {
            let image = try shown(PNGBytes.file(start + [extra, PNGBytes.end]))
            #expect(!image.isPartial && image.bitmap[0, 0] == [77, 77, 77, 255])
        }
        let text = PNGBytes.chunk("tEXt", [])
        #expect(try !shown(PNGBytes.file(start + [text, start[1], PNGBytes.end])).isPartial)
    }

    @Test("the checksums of texts are not looked at, and what has more than 16 MiB beside the pixels is passed over")
    func checkedBytes() throws {
        var text = PNGBytes.chunk("tEXt", Array("a".utf8))
        text[text.count - 1] ^= 1
        let (header, data) = (PNGBytes.header(1, 1, colorType: 0), PNGBytes.chunk("IDAT", PNGBytes.stored([0, 77])))
        let turned = PNGBytes.chunk("eXIf", Array(EXIFBlock(orientation: 6).data))
        let file = PNGBytes.file([header, text, turned, data, PNGBytes.end])
        #expect(try PNGDecoder().info(of: file, limits: .standard).orientation == .right)
        // Of the whole file: its own checksum does not matter.
        let zeros = [UInt8](repeating: 0, count: 16 << 20)
        let large = Data(PNGBytes.number(zeros.count) + Array("iCCP".utf8) + zeros + [0, 0, 0, 0])
        let rest = Data(turned + data + PNGBytes.end)
        let info = try PNGDecoder().info(of: PNGBytes.file([header]) + large + rest, limits: .standard)
        #expect(info.orientation == .up)
    }

    @Test("more chunks than 131,072 are not walked")
    func countlessChunks() throws {
        var chunks = Data(PNGBytes.chunk("teXt", []))
        for _ in 0..<18 { chunks += chunks }
        let header = Data(PNGBytes.file([PNGBytes.header(1, 1, colorType: 0)]))
        let data = Data(PNGBytes.chunk("IDAT", PNGBytes.stored([0, 77])))
        #expect(try shown(header + data + chunks).bitmap[0, 0] == [77, 77, 77, 255])
        #expect(throws: CodecError.corrupt(.png, reason: "more than 131072 chunks before IDAT")) {
            try PNGDecoder().info(of: header + chunks + data, limits: .standard)
        }
    }
}
