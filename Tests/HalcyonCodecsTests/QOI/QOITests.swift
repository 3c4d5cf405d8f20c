import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("QOI decoder and encoder")
struct QOITests {
    private func decode(
        _ data: Data,
        limits: DecodeLimits = .standard,
        damage: DamageHandling = .isRefused
    ) throws -> DecodedImage {
        let options = DecodeOptions(limits: limits, damage: damage)
        let image = try QOIDecoder().decode(data, options: options, isCancelled: { false })
        #expect(try QOIDecoder().info(of: data, limits: limits) == image.info)
        return image
    }

    private func file(_ width: Int, _ height: Int, channels: Int = 4, colorSpace: Int = 0, _ chunks: [UInt8]) -> Data {
        let sides = [width, height].flatMap { BMPBytes.number($0).reversed() }
        return Data(Array("qoif".utf8) + sides + [UInt8(channels), UInt8(colorSpace)] + chunks)
    }

    private func pixels(_ data: Data) throws -> [[UInt8]] {
        let bitmap = try decode(data).bitmap
        return (0..<bitmap.height).flatMap { y in (0..<bitmap.width).map { x in bitmap[x, y] } }
    }

    @Test("every kind of chunk does what the specification says")
    func chunks() throws {
        let data = file(
            5,
            2,
            [
                0xfe, 10, 20, 30,  // red, green, blue
                0x40 | 3 << 4 | 2 << 2 | 1,  // + 1, 0, -1
                0x80 | 40, 15 << 4 | 0,  // + 15, 8, 0
                0xc1,  // twice the same
                UInt8((10 * 3 + 20 * 5 + 30 * 7 + 255 * 11 as Int) % 64),  // the first one
                0xff, 1, 2, 3, 0,  // transparent
                0,  // the one at place 0
                0x40 | 0 << 4 | 1 << 2 | 2,  // from transparent black, wrapping around
                0xfe, 255, 255, 255,
            ]
        )
        #expect(
            try pixels(data) == [
                [10, 20, 30, 255], [11, 20, 29, 255], [26, 28, 29, 255], [26, 28, 29, 255], [26, 28, 29, 255],
                [10, 20, 30, 255], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0],
            ]
        )
        #expect(try !decode(data).bitmap.isOpaque)
    }

    @Test("what is written is read back exactly, or within the rounding of straight alpha")
    func roundTrip() throws {
        let still = try TestImages.bitmap(70, 3) { x, _ in (x / 66, 0, 0, 255) }
        let bitmaps = [
            try TestImages.photo(33, 9), try TestImages.translucent(40, 11), still, try TestImages.photo(1, 1),
        ]
        for bitmap in bitmaps {
            let image = try decode(try QOIEncoder().encode(bitmap, options: EncodeOptions()))
            #expect(image.bitmap.greatestDifference(from: bitmap) ?? 255 <= (bitmap.isOpaque ? 0 : 1))
            #expect(image.bitmap.isOpaque == bitmap.isOpaque)
            #expect(image.info.hasAlpha == !bitmap.isOpaque)
            #expect(image.colorProfile == nil)
        }
    }

    @Test("the encoder writes the bytes of the reference implementation")
    func encoding() throws {
        let bitmap = try TestImages.bitmap(4, 1) { x, _ in
            [(0, 0, 0, 255), (1, 255, 0, 255), (9, 9, 9, 255), (0, 0, 0, 255)][x]
        }
        let expected = file(
            4,
            1,
            channels: 3,
            [0xc0, 0x40 | 3 << 4 | 1 << 2 | 2, 0x80 | 42, 6 << 4 | 7, 0x80 | 23, 8 << 4 | 8]
        )
        #expect(try QOIEncoder().encode(bitmap, options: EncodeOptions()) == expected + [0, 0, 0, 0, 0, 0, 0, 1])
    }

    @Test("an image that says it has three channels is opaque, and linear colours are told")
    func header() throws {
        #expect(try pixels(file(1, 1, channels: 3, [0xff, 1, 2, 3, 0])) == [[1, 2, 3, 255]])
        let linear = try decode(file(1, 1, channels: 3, colorSpace: 1, [0xc0]))
        #expect(linear.colorProfile == .codePoints(primaries: 1, transfer: 8))
        #expect(linear.info.colorSpace == .codePoints(primaries: 1, transfer: 8))
        #expect(linear.bitmap.isOpaque)
    }

    @Test("a file cut before its last pixel is truncated, at every byte; the end marker may be missing")
    func truncation() throws {
        let whole = try QOIEncoder().encode(try TestImages.translucent(5, 4), options: EncodeOptions())
        for count in 1..<whole.count - 8 {
            #expect(throws: CodecError.truncated(.qoi), "\(count) bytes") { try decode(whole.prefix(count)) }
        }
        for count in whole.count - 8..<whole.count {
            #expect(try decode(whole.prefix(count)).size == PixelSize(5, 4))
        }
        #expect(throws: CodecError.empty) { try decode(Data()) }
    }

    @Test("a file cut short shows the rows that are there, the rest is clear", arguments: [3, 4])
    func cutShort(channels: Int) throws {
        let data = file(2, 3, channels: channels, [0xfe, 10, 20, 30, 0xc1, 0xfe, 1])
        let image = try decode(data, damage: .showsWhatIsThere)
        #expect(image.isPartial && !image.bitmap.isOpaque)
        #expect(image.bitmap[1, 0] == [10, 20, 30, 255])
        #expect(image.bitmap[0, 1] == [0, 0, 0, 0] && image.bitmap[1, 2] == [0, 0, 0, 0])
        #expect(throws: CodecError.truncated(.qoi)) {
            try decode(file(2, 3, channels: channels, [0xfe, 10, 20, 30]), damage: .showsWhatIsThere)
        }
    }

    @Test("changed bytes give an image or a typed error, never a crash")
    func damage() throws {
        var random = SeededRandom(seed: 5)
        let whole = try QOIEncoder().encode(try TestImages.translucent(16, 16), options: EncodeOptions())
        for _ in 0..<800 {
            do {
                let damaged = random.damage(whole)
                _ = try? decode(damaged, limits: DecodeLimits(memory: 16 << 20))
                _ = try decode(damaged, limits: DecodeLimits(memory: 16 << 20), damage: .showsWhatIsThere)
            } catch {
                #expect(error is CodecError)
            }
        }
    }

    @Test("a header that cannot be is corrupt, and too large an image is refused before memory is taken")
    func refusals() throws {
        func fails(_ data: Data, _ error: CodecError, limits: DecodeLimits = .standard) {
            #expect(throws: error) { try decode(data, limits: limits) }
        }
        fails(Data("qoix".utf8), .corrupt(.qoi, reason: "the signature is missing"))
        fails(file(0, 1, [0xc0]), .corrupt(.qoi, reason: "the image has a size of 0×1"))
        fails(file(1, 1, channels: 5, [0xc0]), .corrupt(.qoi, reason: "5 channels instead of 3 or 4"))
        fails(file(1, 1, colorSpace: 2, [0xc0]), .corrupt(.qoi, reason: "colour space 2 instead of 0 or 1"))
        let size = PixelSize(1 << 31, 1 << 31)
        fails(file(1 << 31, 1 << 31, [0xc0]), .limitExceeded(.qoi, .sideLength(size, maximum: 1 << 26)))
        fails(
            file(400, 400, [0xc0]),
            .limitExceeded(.qoi, .pixelCount(PixelSize(400, 400), maximum: 1_000)),
            limits: DecodeLimits(pixelCount: 1_000)
        )
        fails(
            file(16, 2, [0xc0]),
            .limitExceeded(.qoi, .memory(128, maximum: 100)),
            limits: DecodeLimits(memory: 100)
        )
        // More pixels than its bytes can stand for.
        fails(file(60_000, 4_000, [0xfd, 0xfd]), .truncated(.qoi))
        #expect(throws: CodecError.noSuchFrame(1, frameCount: 1)) {
            try QOIDecoder().decode(file(1, 1, [0xc0]), options: DecodeOptions(frame: 1), isCancelled: { false })
        }
    }

    @Test("a cancelled decode ends between rows")
    func cancellation() throws {
        let data = try QOIEncoder().encode(try TestImages.photo(4, 64), options: EncodeOptions())
        let questions = QuestionCounter(cancelledFrom: 3)
        #expect(throws: CancellationError.self) {
            try QOIDecoder().decode(data, options: DecodeOptions(), isCancelled: questions.ask)
        }
        #expect(questions.count == 3)
    }
}
