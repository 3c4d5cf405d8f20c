import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("The sizes in the units of AV1")
struct AV1UnitsTests {
    /// The fields of a sequence header besides the size.
    private struct Details {
        var timing = ""
        var points = "0" + "00000" + "000000000000" + "00000"
        var sizeBitCount = 16
        /// Identifiers, tools of blocks and prediction, order, tools for screens, motion; none of them.
        var tools = "0" + "000" + "0000" + "0" + "00"
    }

    private func bits(_ value: Int, _ count: Int) -> String {
        let text = String(value, radix: 2)
        return String(repeating: "0", count: count - text.count) + text
    }

    private func bytes(_ bits: String) -> [UInt8] {
        let padded = bits + String(repeating: "0", count: (8 - bits.count % 8) % 8)
        return stride(from: 0, to: padded.count, by: 8).compactMap { UInt8(padded.dropFirst($0).prefix(8), radix: 2) }
    }

    private func unit(_ type: UInt8, _ bits: String, statesLength: Bool = true) -> Data {
        let payload = bytes(bits)
        return Data([type << 3 | (statesLength ? 2 : 0)] + (statesLength ? [UInt8(payload.count)] : []) + payload)
    }

    private func reducedSequence(_ size: PixelSize, sizeBitCount: Int = 16) -> String {
        "000" + "11" + "00000" + sizeBits(size, sizeBitCount)
    }

    private func sequence(_ size: PixelSize, _ details: Details = Details()) -> String {
        let timing = details.timing.isEmpty ? "0" : details.timing
        return "000" + "00" + timing + details.points + sizeBits(size, details.sizeBitCount) + details.tools
    }

    private func sizeBits(_ size: PixelSize, _ count: Int) -> String {
        bits(count - 1, 4) + bits(count - 1, 4) + bits(size.width - 1, count) + bits(size.height - 1, count)
    }

    private func size(_ content: Data, configuration: Data = Data(), includesFrames: Bool = true) -> CodedSize {
        AV1Units(
            ofItem: content,
            configuration: Data([0x81, 0, 0, 0]) + configuration,
            includesFrames: includesFrames
        ).size
    }

    private let small = PixelSize(64, 48)

    @Test("sequence headers are read, the greatest of all, and those cut short are unreadable")
    func sequenceHeaders() {
        let large = PixelSize(70, 16)
        for text in [reducedSequence(small), sequence(small)] {
            #expect(size(unit(1, text)) == .known(small))
            #expect(size(unit(1, text, statesLength: false)) == .known(small))
            #expect(size(unit(1, text) + unit(1, reducedSequence(large))) == .known(PixelSize(70, 48)))
        }
        #expect(size(Data()) == .none)
        #expect(size(unit(2, "")) == .none)
        for (text, count) in [(reducedSequence(small), 7), (sequence(small), 10)] {
            for length in 0..<count {
                let beginning = String(text.prefix(8 * length))
                #expect(size(unit(1, beginning)) == .unreadable, "\(length)")
            }
            // Behind a unit that is not there as a whole, decoders see nothing.
            #expect(size(unit(1, text).dropLast()) == .none)
        }
        #expect(size(Data([0x0e, 0, 11]) + Data(bytes(sequence(small)) + [0])) == .known(small), "an extension")
        let wide = sequence(PixelSize(65_536, 65_536))
        #expect(size(unit(1, wide)) == .known(PixelSize(65_536, 65_536)))
    }

    @Test("more units than any image has are unreadable")
    func manyUnits() {
        let delimiters = Data((0..<65_535).flatMap { _ in [0x12, 0] as [UInt8] })
        #expect(size(delimiters + unit(1, sequence(small))) == .known(small))
        #expect(size(delimiters + [0x12, 0] + unit(1, sequence(small))) == .unreadable)
    }

    @Test("timing, models and operating points before the size are passed over")
    func operatingPoints() {
        var details = Details()
        // Ticks, regular by one tick each ("010" is 1), a model with delays of 7 bits.
        details.timing = "1" + bits(1, 32) + bits(25, 32) + "1" + "010" + "1" + bits(6, 5) + bits(9, 32) + "0000000011"
        // Two points: of level 9 with a tier, a model and a delay; of level 0 without either.
        details.points =
            "1" + bits(1, 5) + bits(5, 12) + bits(9, 5) + "1" + "1" + bits(3, 7) + bits(4, 7) + "0" + "1" + "1010"
            + bits(0, 12) + bits(0, 5) + "0" + "0"
        #expect(size(unit(1, sequence(small, details))) == .known(small))
    }

    @Test("a frame that states its own size counts as the greatest that it can state")
    func framesOfOtherSizes() {
        // Shown, a key frame, then whether tables change.
        let key = "0" + "00" + "1" + "0"
        for type in [3, 6, 7] as [UInt8] {
            let stated = unit(1, sequence(small)) + unit(type, key + "1" + "0000000")
            #expect(size(stated) == .known(PixelSize(65_536, 65_536)), "\(type)")
            #expect(size(stated, includesFrames: false) == .known(small), "\(type)")
            #expect(size(unit(1, sequence(small)) + unit(type, key + "0" + "0000000")) == .known(small))
        }
        // One that is shown again, one of an order that only refers to others, one that always states its size.
        #expect(size(unit(1, sequence(small)) + unit(3, "1" + "1111111")) == .known(small))
        #expect(size(unit(1, sequence(small)) + unit(6, "0" + "01" + "0" + "0" + "0" + "0" + "1")) != .known(small))
        #expect(size(unit(1, sequence(small)) + unit(6, "0" + "11" + "1" + "0" + "000")) != .known(small))
        #expect(size(unit(1, sequence(small)) + unit(6, "")) == .unreadable)
        // With one image only, frames state none.
        #expect(size(unit(1, reducedSequence(small)) + unit(6, key + "1" + "11")) == .known(small))
        // No sequence header before it.
        #expect(size(unit(6, key + "1")) == .none)

        var details = Details()
        details.sizeBitCount = 7
        // Identifiers of 2 + 2 + 1 bits, tools that each frame chooses, and motion as well.
        details.tools = "1" + bits(1, 4) + bits(1, 3) + "000" + "0000" + "1" + "00" + "1" + "1"
        let header = unit(1, sequence(small, details))
        #expect(size(header + unit(6, key + "1" + "1" + "11111" + "0")) == .known(small))
        #expect(size(header + unit(6, key + "1" + "1" + "00000" + "1")) == .known(PixelSize(128, 128)))
        #expect(size(header + unit(6, key + "0" + "11111" + "0")) == .known(small))
    }

    @Test("the configuration counts, also where a unit of it ends in the item")
    func configurations() {
        let large = PixelSize(4_096, 2_048)
        let content = unit(1, sequence(small))
        #expect(size(content, configuration: unit(1, sequence(large))) == .known(large))
        // The first unit, padding, covers what looks like the beginning of the item.
        let hidden = unit(15, bits(0, 8 * 3)) + unit(1, sequence(large))
        let configuration = Data([15 << 3 | 2, 5])
        #expect(size(hidden, configuration: configuration) == .known(large))
        let frame = unit(6, "0" + "00" + "1" + "0" + "1" + "00")
        #expect(size(frame, configuration: content) == .known(PixelSize(65_536, 65_536)))
    }

    @Test("what our encoder writes states its size", arguments: [1, 3])
    func ownFiles(frameCount: Int) throws {
        let size = PixelSize(120, 70)
        let encoder = QuickAVIFEncoder()
        let frames = try (0..<frameCount).map { _ in AnimationFrame(bitmap: try .sample(size), duration: 100) }
        let file =
            try frameCount == 1
            ? encoder.encode(frames[0].bitmap, options: EncodeOptions())
            : encoder.encode(frames, loopCount: 0, options: EncodeOptions())
        let reader = ByteReader(file)
        let content = try #require(reader.payload(ofBox: "mdat", in: 0..<file.count))
        #expect(self.size(Data(file[content])) == .known(size))
    }

    @Test("an image coded far larger than its box states is refused, and one within the limits is not")
    func files() throws {
        let file = try QuickAVIFEncoder().encode(.sample(PixelSize(1_300, 16)), options: EncodeOptions())
        var bytes = AVIFBytes(file)
        bytes.set([0, 0, 0, 20, 0, 0, 0, 16], at: try bytes.start(ofBox: "meta", "iprp", "ipco", "ispe") + 12)
        let refused = CodecError.corrupt(
            .avif,
            reason: "an image of \(PixelSize(20, 16)) is coded as \(PixelSize(1_300, 16))"
        )
        for brand in ["avif", "mif1"] {
            #expect(throws: refused) { try ImageCodecs.all.decode(bytes.withBrand(brand).data) }
            let image = try ImageCodecs.all.decode(AVIFBytes(file).withBrand(brand).data)
            #expect(image.size == PixelSize(1_300, 16))
        }
    }

    @Test("parts that have more pixels than it takes count against the limit of memory")
    func memory() throws {
        let large = try QuickAVIFEncoder().encode(.sample(PixelSize(320, 200)), options: EncodeOptions())
        var bytes = AVIFBytes(large)
        bytes.set([0, 0, 0, 100, 0, 0, 0, 200], at: try bytes.start(ofBox: "meta", "iprp", "ipco", "ispe") + 12)
        let decoder = AVIFDecoder()
        for (memory, isEnough) in [(200_000, false), (2_000_000, true)] {
            let options = DecodeOptions(limits: DecodeLimits(memory: memory))
            if isEnough {
                #expect(try decoder.decode(bytes.data, options: options) { false }.size == PixelSize(100, 200))
            } else {
                #expect(throws: CodecError.self) { try decoder.decode(bytes.data, options: options) { false } }
            }
        }
    }
}
