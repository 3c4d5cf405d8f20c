import Foundation
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("PNG of 16 bits a sample")
struct PNGSixteenBitTests {
    private func decode(_ data: Data, keepsSixteenBits: Bool = true) throws -> DecodedImage {
        try PNGDecoder().decode(data, options: DecodeOptions(keepsSixteenBits: keepsSixteenBits)) { false }
    }

    /// Random samples, as rows without filters.
    private func file(_ width: Int, _ height: Int, colorType: UInt8, channels: Int, extra: [[UInt8]] = [])
        -> (data: Data, samples: [UInt16])
    {
        var random = SeededRandom(seed: UInt64(channels))
        let samples = (0..<width * height * channels).map { _ in UInt16(truncatingIfNeeded: random.next()) }
        let bytes = samples.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        let rowByteCount = width * channels * 2
        var rows: [UInt8] = []
        for y in 0..<height {
            rows.append(0)
            rows += bytes[y * rowByteCount..<(y + 1) * rowByteCount]
        }
        let header = PNGBytes.header(width, height, depth: 16, colorType: colorType)
        let chunks = [header] + extra + [PNGBytes.chunk("IDAT", PNGBytes.stored(rows)), PNGBytes.end]
        return (PNGBytes.file(chunks), samples)
    }

    private func premultiplied(_ straight: [UInt16], _ width: Int, _ height: Int) throws -> [UInt16] {
        try straight.withUnsafeBytes { try Bitmap(premultiplying16: $0, size: PixelSize(width, height)) }.wideSamples
    }

    @Test("grey, grey with alpha, RGB and RGBA keep every bit on request")
    func colorTypes() throws {
        for (colorType, channels) in [(UInt8(0), 1), (4, 2), (2, 3), (6, 4)] {
            let (data, samples) = file(7, 5, colorType: colorType, channels: channels)
            let expected = (0..<35).flatMap { pixel -> [UInt16] in
                let sample = Array(samples[pixel * channels..<(pixel + 1) * channels])
                switch channels {
                case 1: return [sample[0], sample[0], sample[0], 65_535]
                case 2: return [sample[0], sample[0], sample[0], sample[1]]
                case 3: return sample + [65_535]
                default: return sample
                }
            }
            let bitmap = try decode(data).bitmap
            #expect(bitmap.depth == .sixteen)
            #expect(bitmap.isOpaque == (channels % 2 == 1))
            #expect(try bitmap.wideSamples == premultiplied(expected, 7, 5))
            #expect(try decode(data, keepsSixteenBits: false).bitmap.depth == .eight)
        }
    }

    @Test("a transparent colour is one of all 16 bits")
    func transparentColor() throws {
        let (_, samples) = file(7, 5, colorType: 2, channels: 3)
        let key = samples[3..<6].flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        var near = key
        near[5] ^= 1
        for (payload, isTransparent) in [(key, true), (near, false)] {
            let data = file(7, 5, colorType: 2, channels: 3, extra: [PNGBytes.chunk("tRNS", payload)]).data
            let bitmap = try decode(data).bitmap
            #expect(Array(bitmap.wideSamples[4..<8]) == (isTransparent ? [0, 0, 0, 0] : samples[3..<6] + [65_535]))
            #expect(bitmap.isOpaque == !isTransparent)
        }
    }

    @Test("other depths stay at 8 bits whatever is asked for")
    func otherDepths() throws {
        let data = PNGBytes.file([
            PNGBytes.header(1, 1, depth: 8, colorType: 0), PNGBytes.chunk("IDAT", PNGBytes.stored([0, 9])),
            PNGBytes.end,
        ])
        #expect(try decode(data).bitmap.depth == .eight)
    }

    @Test("what is written is read back", arguments: [true, false])
    func roundTrip(isOpaque: Bool) throws {
        var random = SeededRandom(seed: 9)
        let straight = (0..<13 * 9 * 4).map { index -> UInt16 in
            index % 4 == 3 && isOpaque ? 65_535 : UInt16(truncatingIfNeeded: random.next()) | 0x8000
        }
        let bitmap = try straight.withUnsafeBytes { try Bitmap(premultiplying16: $0, size: PixelSize(13, 9)) }
        let file = try PNGEncoder().encode(bitmap, options: EncodeOptions())
        let back = try decode(file).bitmap
        #expect(back.isOpaque == isOpaque)
        #expect(back.wideSamples == bitmap.wideSamples)
    }

    @Test("twice the memory is checked before it is taken")
    func memory() throws {
        let data = file(64, 64, colorType: 6, channels: 4).data
        let stream = 64 * (64 * 8 + 1)
        let limits = DecodeLimits(memory: stream + 64 * 64 * 4)
        let narrow = DecodeOptions(limits: limits)
        _ = try PNGDecoder().decode(data, options: narrow) { false }
        #expect(throws: CodecError.self) {
            try PNGDecoder().decode(data, options: DecodeOptions(keepsSixteenBits: true, limits: limits)) { false }
        }
    }

    @Test("cut off anywhere it is an error", arguments: [true, false])
    func truncation(keepsSixteenBits: Bool) throws {
        let data = file(3, 2, colorType: 6, channels: 4).data
        // Without its last chunk a file is complete.
        for count in 0..<data.count - 12 {
            let options = DecodeOptions(keepsSixteenBits: keepsSixteenBits, damage: .isRefused)
            #expect(throws: CodecError.self) { try PNGDecoder().decode(data.prefix(count), options: options) { false } }
        }
    }

    @Test("damage is an error or an image")
    func damage() {
        var random = SeededRandom(seed: 12)
        let data = file(9, 4, colorType: 6, channels: 4).data
        for _ in 0..<300 {
            _ = try? decode(random.damage(data))
        }
    }

    @Test("PngSuite's samples, interlaced ones too", .enabled(if: PixelCorpus.isPresent))
    func corpus() throws {
        let names = [
            "basn0g16", "basn2c16", "basn4a16", "basn6a16", "basi0g16", "basi2c16", "basi4a16", "basi6a16", "bgyn6a16",
            "oi4n2c16", "oi9n0g16", "tbbn2c16", "tbgn2c16", "tbwn0g16",
        ]
        var compared = 0
        for name in names {
            guard let data = try? PixelCorpus.data("pngsuite/\(name).png") else { continue }
            let bitmap = try decode(data).bitmap
            #expect(bitmap.depth == .sixteen)
            guard let reference = try? PixelCorpus.data("pngsuite/reference/\(name).rgba16le") else { continue }
            let samples = stride(from: 0, to: reference.count, by: 2).map {
                UInt16(reference[$0]) | UInt16(reference[$0 + 1]) << 8
            }
            #expect(try bitmap.wideSamples == premultiplied(samples, bitmap.width, bitmap.height), "\(name)")
            compared += 1
        }
        #expect(compared >= 3)
    }
}
