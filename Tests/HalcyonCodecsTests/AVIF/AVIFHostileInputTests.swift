import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("AVIF files that are damaged or ask for too much")
struct AVIFHostileInputTests {
    private let decoder = AVIFDecoder()
    private let still: Data
    private let animation: Data

    init() throws {
        let encoder = QuickAVIFEncoder()
        still = try encoder.encode(.sample(PixelSize(40, 30), hasAlpha: true), options: EncodeOptions(quality: 60))
        let frames = try (0..<3).map {
            AnimationFrame(bitmap: try .sample(PixelSize(24, 24), hasAlpha: $0 > 0), duration: 100)
        }
        animation = try encoder.encode(frames, loopCount: 2, options: EncodeOptions(quality: 60))
    }

    private func decode(_ data: Data, options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        try decoder.decode(data, options: options, isCancelled: { false })
    }

    @Test("more tracks than any file has use for are damage, before they are looked at")
    func manyTracks() throws {
        let track: [UInt8] = [0, 0, 0, 8] + Array("trak".utf8)
        let tracks: [UInt8] = (0..<1_000).flatMap { _ in track }
        let size = withUnsafeBytes(of: UInt32(tracks.count + 8).bigEndian) { Data($0) }
        let file = animation + size + Data("moov".utf8) + Data(tracks)
        // Behind the brands, where the first box of tracks is looked for.
        let reordered = file.prefix(Int(file[3])) + file.suffix(tracks.count + 8)
        #expect(throws: CodecError.corrupt(.avif, reason: "it has too many tracks")) {
            try decoder.info(of: reordered, limits: .standard)
        }
    }

    @Test("files cut off at any byte are truncated; the header needs its own bytes only")
    func truncation() throws {
        #expect(throws: CodecError.empty) { try decode(Data()) }
        #expect(throws: CodecError.empty) { try decoder.info(of: Data(), limits: .standard) }
        for file in [still, animation] {
            let whole = try decoder.info(of: file, limits: .standard)
            var shortest = file.count
            for length in 1..<file.count {
                let beginning = file.prefix(length)
                #expect(throws: CodecError.truncated(.avif), "\(length)") {
                    try decode(beginning, options: DecodeOptions(frame: whole.frameCount - 1))
                }
                do {
                    #expect(try decoder.info(of: beginning, limits: .standard) == whole)
                    shortest = min(shortest, length)
                } catch {
                    #expect(error == .truncated(.avif), "\(length)")
                    #expect(shortest > length)
                }
            }
            let start = try #require(file.firstRange(of: Data("mdat".utf8))).upperBound
            #expect(shortest <= start, "\(shortest) of \(start)")
        }
    }

    @Test("sizes beyond the limits are refused before decoding; the header tells them")
    func limits() throws {
        let size = PixelSize(40, 30)
        let cases: [(DecodeLimits, CodecError.Limit)] = [
            (DecodeLimits(pixelCount: 1_199), .pixelCount(size, maximum: 1_199)),
            (DecodeLimits(sideLength: 39), .sideLength(size, maximum: 39)),
        ]
        for (limits, limit) in cases {
            #expect(throws: CodecError.limitExceeded(.avif, limit)) {
                try decode(still, options: DecodeOptions(limits: limits))
            }
            #expect(try decoder.info(of: still, limits: limits).size == size)
        }
        #expect(throws: CodecError.self) {
            try decode(still, options: DecodeOptions(limits: DecodeLimits(memory: 9_000)))
        }

        var large = AVIFBytes(still)
        let property = try large.start(ofBox: "meta", "iprp", "ipco", "ispe")
        large.set([0, 0, 0x80, 0, 0, 0, 0x80, 0], at: property + 12)
        let refused = CodecError.limitExceeded(.avif, .pixelCount(PixelSize(32_768, 32_768), maximum: 1 << 28))
        #expect(throws: refused) { try decode(large.data) }
        #expect(throws: refused) { try decoder.info(of: large.data, limits: .standard) }
    }

    @Test("an image of another size than the file states is brought to that size, unless it is far larger")
    func contradictingSize() throws {
        var bytes = AVIFBytes(still)
        let property = try bytes.start(ofBox: "meta", "iprp", "ipco", "ispe")
        bytes.set([0, 0, 0, 20, 0, 0, 0, 20], at: property + 12)
        #expect(try decode(bytes.data).size == PixelSize(20, 20))

        let large = try QuickAVIFEncoder().encode(Bitmap(size: PixelSize(400, 300)), options: EncodeOptions())
        bytes = AVIFBytes(large)
        bytes.set([0, 0, 0, 20, 0, 0, 0, 20], at: try bytes.start(ofBox: "meta", "iprp", "ipco", "ispe") + 12)
        #expect(throws: CodecError.self) { try decode(bytes.data) }
    }

    @Test("the greatest size that a file can state is compared with the limits, and overflows nothing")
    func greatestSize() throws {
        var bytes = AVIFBytes(still)
        let property = try bytes.start(ofBox: "meta", "iprp", "ipco", "ispe")
        bytes.set([UInt8](repeating: 255, count: 8), at: property + 12)
        let container = AVIFContainer(bytes.data, frameCount: 1)
        #expect(container.itemSize == PixelSize(0xffff_ffff, 0xffff_ffff))
        for limits in [.standard, DecodeLimits(pixelCount: .max, sideLength: .max, memory: .max)] {
            let count = try? container.checkCodedItems(limits: limits)
            #expect(count?.value != 0)
        }
    }

    @Test("items that share the file's bytes too often are refused")
    func sharedBytes() throws {
        var bytes = AVIFBytes(still)
        // The first item's length, behind its number, its reference, the count of its extents and their place.
        let locations = try bytes.start(ofBox: "meta", "iloc")
        bytes.set([0x7f], at: locations + 16 + 10)
        #expect(throws: CodecError.corrupt(.avif, reason: "its items claim more bytes than the file has")) {
            try decode(bytes.data)
        }
    }

    @Test("lists that are longer than any image needs are damage, before they are read")
    func longLists() throws {
        let free: [UInt8] = HEIFFixture.box("free", [])
        let file = still + Data((0..<10_000).flatMap { _ in free })
        let refused = CodecError.corrupt(.avif, reason: "its lists are longer than those of any image")
        #expect(throws: refused) { try decode(file) }
        #expect(throws: refused) { try decoder.info(of: file, limits: .standard) }
        #expect(throws: refused) { _ = try decoder.cursor(for: file, options: DecodeOptions()) }
    }

    @Test("of an item in thousands of parts, a header reads as much as it needs")
    func manyExtents() throws {
        let data = Data(count: 1 << 16)
        let extents = (0..<4_000).flatMap { _ in HEIFFixture.number(0, 4) + HEIFFixture.number(data.count, 4) }
        let list =
            [0x44, 0] + HEIFFixture.number(1, 2) + HEIFFixture.number(1, 2) + [0, 0] + HEIFFixture.number(4_000, 2)
        let meta = [0, 0, 0, 0] + HEIFFixture.fullBox("iloc", list + extents)
        let reader = ByteReader(Data(meta) + data)
        let contents = HEIFItemLocations.contents(reader, meta: 0..<meta.count, of: [1], greatestByteCount: 1_024)
        #expect(contents[1]?.count == 1_024)
        #expect(!HEIFItemLocations.areReasonable(reader, meta: 0..<meta.count, isBeginning: true))
    }

    @Test("alpha that is named thousands of times is decoded once")
    func repeatedAlpha() throws {
        let items = try [1, 2].map { identifier in
            let reader = ByteReader(still)
            let meta = try #require(reader.payload(ofBox: "meta", in: 0..<reader.count))
            let properties = try #require(HEIFItemProperties(reader, meta: meta)).associations(of: identifier)
            let content = try #require(HEIFItemLocations.contents(reader, meta: meta, of: [identifier])[identifier])
            return HEIFFixture.Item(
                identifier: identifier,
                type: "av01",
                content: Array(content),
                properties: try properties.map {
                    Array(try #require(reader.bytes(at: $0.box.start, count: $0.box.payload.upperBound - $0.box.start)))
                },
                isHidden: identifier == 2
            )
        }
        func file(_ count: Int) -> Data {
            let references = [("auxl", 2, [Int](repeating: 1, count: count))]
            return HEIFFixture(brand: "avif", items: items, references: references, primary: 1).data
        }
        let expected = try decode(file(1))
        #expect(!expected.bitmap.isOpaque)
        let image = try decode(file(60_000))
        #expect(image.bitmap.greatestDifference(from: expected.bitmap) == 0 && image.info == expected.info)
    }

    @Test("cancelling ends work at the next question")
    func cancellation() throws {
        for count in 1...3 {
            let questions = QuestionCounter(cancelledFrom: count)
            #expect(throws: CancellationError.self) {
                try decoder.decode(still, options: DecodeOptions(), isCancelled: { questions.ask() })
            }
            #expect(questions.count == count)
        }
    }

    @Test("random damage ends in an image or a typed error", arguments: [1, 2, 3] as [UInt64])
    func randomDamage(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let limits = DecodeLimits(pixelCount: 1 << 18, memory: 16 << 20)
        for file in [still, animation] {
            for round in 0..<300 {
                let damaged = random.damage(file)
                do {
                    _ = try decoder.info(of: damaged, limits: limits)
                    _ = try decoder.metadata(of: damaged)
                    _ = try decode(damaged, options: DecodeOptions(frame: round % 2, limits: limits))
                } catch {
                    #expect(error is CodecError, "\(error)")
                }
            }
        }
    }
}
