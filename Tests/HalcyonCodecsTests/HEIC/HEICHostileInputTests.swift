import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonHEIC

@Suite("HEIC files that are damaged or ask for too much")
struct HEICHostileInputTests {
    private let decoder = HEICDecoder()

    private func decode(_ data: Data, options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        try decoder.decode(data, options: options, isCancelled: { false })
    }

    @Test("files cut off at any byte are truncated; the header needs its own bytes only", arguments: [0, 1])
    func truncation(_ index: Int) throws {
        #expect(throws: CodecError.empty) { try decode(Data()) }
        let file = [HEICBytes.plain, HEICBytes.rich][index]
        let whole = try decoder.info(of: file, limits: .standard)
        var shortest = file.count
        for length in 1..<file.count {
            let beginning = file.prefix(length)
            do {
                _ = try decode(beginning)
                Issue.record("decoded with \(length) of \(file.count) bytes")
            } catch let error as CodecError {
                #expect(error == .truncated(.heic) || error == .truncated(.heif), "\(length)")
            }
            do {
                #expect(try decoder.info(of: beginning, limits: .standard) == whole)
                shortest = min(shortest, length)
            } catch {
                #expect(error == .truncated(.heic) || error == .truncated(.heif), "\(length)")
                #expect(shortest > length)
            }
        }
        let start = try #require(file.firstRange(of: Data("mdat".utf8))).lowerBound
        #expect(shortest <= start + 4, "\(shortest) of \(start)")
    }

    @Test("sizes beyond the limits are refused before decoding; the header tells them")
    func limits() throws {
        let size = PixelSize(32, 24)
        let cases: [(DecodeLimits, CodecError.Limit)] = [
            (DecodeLimits(pixelCount: 767), .pixelCount(size, maximum: 767)),
            (DecodeLimits(sideLength: 31), .sideLength(size, maximum: 31)),
        ]
        for (limits, limit) in cases {
            #expect(throws: CodecError.limitExceeded(.heic, limit)) {
                try decode(HEICBytes.plain, options: DecodeOptions(limits: limits))
            }
            #expect(try decoder.info(of: HEICBytes.plain, limits: limits).size == size)
        }
        #expect(throws: CodecError.self) {
            try decode(HEICBytes.plain, options: DecodeOptions(limits: DecodeLimits(memory: 4_000)))
        }
        #expect(throws: CodecError.noSuchFrame(1, frameCount: 1)) {
            try decode(HEICBytes.plain, options: DecodeOptions(frame: 1))
        }
        var large = AVIFBytes(HEICBytes.plain)
        let property = try large.start(ofBox: "meta", "iprp", "ipco", "ispe", skipping: 1)
        large.set([0, 1, 0x11, 0x70, 0, 0, 0, 24], at: property + 12)
        // libheif's own bound, or where that is larger, the one asked for.
        let maximum = min(Int(HEIFReader.greatestSideLength) - 1, 65_535)
        let refused = CodecError.limitExceeded(.heic, .sideLength(PixelSize(70_000, 24), maximum: maximum))
        #expect(throws: refused) {
            try decode(large.data, options: DecodeOptions(limits: DecodeLimits(sideLength: 65_535)))
        }
    }

    @Test("lists that are longer than any image needs are damage, before they are read")
    func longLists() throws {
        let file = HEICBytes.plain + Data((0..<10_000).flatMap { _ in HEIFFixture.box("free", []) })
        let refused = CodecError.corrupt(.heic, reason: "its lists are longer than those of any image")
        #expect(throws: refused) { try decode(file) }
        #expect(throws: refused) { try decoder.info(of: file, limits: .standard) }
    }

    @Test("metadata that share the bytes of the file too often are refused before they are copied")
    func sharedMetadata() throws {
        let content = [UInt8](repeating: 0, count: 1 << 20)
        let metadata = (2..<42).map { HEIFFixture.Item(identifier: $0, type: "Exif", content: [], properties: []) }
        var image = try HEIFFixture.tile(1)
        image.content += content
        var bytes = AVIFBytes(HEIFFixture(items: [image] + metadata, references: [], primary: 1).data)
        #expect(try decoder.info(of: bytes.data, limits: .standard).frameCount == 1)
        // Behind the first item's entry: each has its number, a reference, a count, a place and a length.
        let list = try bytes.start(ofBox: "meta", "iloc") + 16
        let place = Array(bytes.bytes[list + 6..<list + 14])
        for item in 1...40 { bytes.set(place, at: list + 14 * item + 6) }
        let refused = CodecError.corrupt(.heic, reason: "its items claim more bytes than the file has")
        #expect(throws: refused) { try decoder.info(of: bytes.data, limits: .standard) }
    }

    @Test("images that are derived from each other are damage", arguments: [[2, 1], [3, 1, 2], [1]])
    func derivation(_ parts: [Int]) throws {
        let items = parts.indices.map {
            HEIFFixture.Item(identifier: $0 + 1, type: "iden", content: [], properties: [HEIFFixture.size(64, 64)])
        }
        let references = parts.enumerated().map { ("dimg", $0 + 1, [$1]) }
        let file = HEIFFixture(items: items + [try HEIFFixture.tile(9)], references: references, primary: 1).data
        #expect(throws: CodecError.self) { try decoder.info(of: file, limits: .standard) }
        #expect(throws: CodecError.self) { try decode(file) }
    }

    @Test("of more images than the limits permit, the first ones are shown")
    func manyImages() throws {
        let items = try (1...4).map { try HEIFFixture.tile($0) }
        let file = HEIFFixture(items: items, references: [], primary: 3).data
        let whole = try decoder.info(of: file, limits: .standard)
        #expect(whole.frameCount == 4 && whole.isFrameCountExact)
        let limits = DecodeLimits(frameCount: 2)
        let info = try decoder.info(of: file, limits: limits)
        #expect(info.frameCount == 2 && !info.isFrameCountExact)
        #expect(try decode(file, options: DecodeOptions(frame: 1, limits: limits)).size == PixelSize(64, 64))
        #expect(throws: CodecError.noSuchFrame(2, frameCount: 2)) {
            try decode(file, options: DecodeOptions(frame: 2, limits: limits))
        }
    }

    @Test("cancelling ends work at the next question")
    func cancellation() throws {
        for count in 1...2 {
            let questions = QuestionCounter(cancelledFrom: count)
            #expect(throws: CancellationError.self) {
                try decoder.decode(HEICBytes.plain, options: DecodeOptions(), isCancelled: { questions.ask() })
            }
            #expect(questions.count == count)
        }
    }

    @Test("items without bytes, or with more than the file has, end in an image or a typed error", arguments: [0, 24])
    func itemLengths(_ shift: Int) throws {
        let file = [UInt8](HEICBytes.rich)
        let list = try #require(Data(file).firstRange(of: Data("iloc".utf8))).upperBound
        // Version 1, places, lengths and bases of four bytes: 20 bytes an item behind the count.
        #expect(file[list] == 1 && file[list + 4] == 0x44 && file[list + 5] == 0x40)
        let count = Int(file[list + 7])
        #expect(count == 10)
        for item in 0..<count {
            var damaged = file
            let length = list + 8 + 20 * item + 16
            damaged.replaceSubrange(length..<length + 4, with: [UInt8(shift / 8), 0, 0, 0])
            for data in [Data(damaged), Data(damaged).prefix(1700)] {
                do {
                    _ = try decoder.info(of: data, limits: .standard)
                    _ = try decoder.metadata(of: data)
                    _ = try decode(data)
                } catch {
                    #expect(error is CodecError, "\(error)")
                }
            }
        }
    }

    @Test("random damage ends in an image or a typed error", arguments: [1, 2, 3] as [UInt64])
    func randomDamage(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let limits = DecodeLimits(pixelCount: 1 << 18, memory: 16 << 20)
        for file in [HEICBytes.plain, HEICBytes.rich] {
            for round in 0..<300 {
                let damaged = random.damage(file)
                do {
                    _ = try decoder.info(of: damaged, limits: limits)
                    _ = try decoder.metadata(of: damaged)
                    let options = DecodeOptions(usesEmbeddedThumbnail: round % 2 == 1, limits: limits)
                    _ = try decode(damaged, options: options)
                } catch {
                    #expect(error is CodecError, "\(error)")
                }
            }
        }
    }
}
