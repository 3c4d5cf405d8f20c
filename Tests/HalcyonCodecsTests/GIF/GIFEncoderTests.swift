import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("GIF encoder")
struct GIFEncoderTests {
    private func decode(_ data: Data, frame: Int = 0) throws -> DecodedImage {
        try GIFDecoder().decode(data, options: DecodeOptions(frame: frame), isCancelled: { false })
    }

    private func roundTrip(_ bitmap: Bitmap) throws -> Bitmap {
        try decode(try GIFEncoder().encode(bitmap, options: EncodeOptions())).bitmap
    }

    @Test("up to 256 colours come back exactly", arguments: [1, 2, 3, 4, 5, 16, 17, 255, 256])
    func exactColors(count: Int) throws {
        let bitmap = try TestImages.bitmap(61, 67) { x, y in
            let number = (x * 31 + y * 17) % count
            return (number, 255 - number, number / 2, 255)
        }
        #expect(try roundTrip(bitmap).premultipliedBytes() == bitmap.premultipliedBytes())
    }

    @Test("an image that fills the code table many times comes back exactly")
    func manyCodes() throws {
        var random = SeededRandom(seed: 5)
        let bitmap = try TestImages.bitmap(200, 200) { _, _ in
            let shade = random.next(below: 256)
            return (shade, shade, shade, 255)
        }
        #expect(try roundTrip(bitmap).premultipliedBytes() == bitmap.premultipliedBytes())
    }

    @Test("255 colours and transparency come back exactly")
    func transparency() throws {
        let bitmap = try TestImages.bitmap(40, 40) { x, y in
            let number = (x + y * 40) % 256
            return number == 255 ? (0, 0, 0, 0) : (number, number, 0, 255)
        }
        let result = try roundTrip(bitmap)
        #expect(result.premultipliedBytes() == bitmap.premultipliedBytes())
        #expect(!result.isOpaque)
    }

    @Test("alpha from 128 on becomes opaque in its straight colour, below that transparent")
    func partialAlpha() throws {
        let bitmap = try TestImages.bitmap(2, 1) { x, _ in (255, 0, 0, 127 + x) }
        #expect(try roundTrip(bitmap).premultipliedBytes() == [0, 0, 0, 0, 255, 0, 0, 255])
    }

    @Test("many colours are reduced to 256 that look the same from a distance")
    func reduction() throws {
        let bitmap = try TestImages.bitmap(128, 128) { x, y in (x * 2, y * 2, 255 - x - y / 2, 255) }
        let result = try roundTrip(bitmap)
        let pixels = result.premultipliedBytes()
        let colors = Set(stride(from: 0, to: pixels.count, by: 4).map { Array(pixels[$0..<$0 + 4]) })
        #expect(colors.count <= 256)
        #expect(colors.count > 200)
        // Dithering keeps the mean of each area, here of 8 × 8 pixels.
        let original = bitmap.premultipliedBytes()
        for top in stride(from: 0, to: 128, by: 8) {
            for left in stride(from: 0, to: 128, by: 8) {
                for channel in 0..<3 {
                    let places = (0..<64).map { ((top + $0 / 8) * 128 + left + $0 % 8) * 4 + channel }
                    let difference = places.reduce(0) { $0 + Int(pixels[$1]) - Int(original[$1]) }
                    #expect(abs(difference) <= 64 * 6, "area \(left), \(top), channel \(channel): \(difference)")
                }
            }
        }
    }

    @Test("sides beyond 65,535 pixels cannot be stored")
    func tooLarge() throws {
        let bitmap = try Bitmap(size: PixelSize(65_536, 1))
        let error = #expect(throws: CodecError.self) { try GIFEncoder().encode(bitmap, options: EncodeOptions()) }
        guard case .cannotEncode(.gif, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("an animation comes back with frames, delays and repetitions, transparent frames included")
    func animation() throws {
        var writer = try GIFWriter(size: PixelSize(4, 3), loopCount: 0)
        let frames = try (0..<5).map { number in
            try TestImages.bitmap(4, 3) { x, _ in x == number ? (0, 0, 0, 0) : (number * 40, 9, x, 255) }
        }
        for (number, frame) in frames.enumerated() {
            try writer.append(frame, delay: number * 50 + 4)
        }
        let data = try writer.finish()
        let info = try GIFDecoder().info(of: data, limits: .standard)
        // 4, 54, 104, 154 and 204 ms: what rounding takes is added later.
        #expect(info.frameDurations == [0, 50, 110, 150, 210])
        #expect(info.loopCount == 0)
        for (number, frame) in frames.enumerated() {
            #expect(try decode(data, frame: number).bitmap.premultipliedBytes() == frame.premultipliedBytes())
        }
    }

    @Test("a frame of another size, and a file without frames, are refused")
    func wrongFrames() throws {
        var writer = try GIFWriter(size: PixelSize(4, 3))
        let frame = try Bitmap(size: PixelSize(3, 4))
        #expect(throws: CodecError.self) { try writer.append(frame) }
        #expect(throws: CodecError.cannotEncode(.gif, reason: "there is no frame")) { try writer.finish() }
    }

    @Test("an animation plays as often as it is asked to, in every format", arguments: [0, 1, 2, 7])
    func loopCount(count: Int) throws {
        let frames = try [0, 90].map { shade in
            AnimationFrame(bitmap: try TestImages.bitmap(3, 2) { _, _ in (shade, 0, 0, 255) }, duration: 50)
        }
        for encoder in [GIFEncoder(), PNGEncoder(), WebPEncoder()] as [any AnimationEncoder] {
            let data = try encoder.encode(frames, loopCount: count, options: EncodeOptions())
            #expect(try ImageCodecs.all.info(of: data).loopCount == count)
            if encoder is GIFEncoder {
                let name = Data("NETSCAPE2.0".utf8)
                let place = data.range(of: name)?.upperBound
                // One time needs no extension; otherwise the number of repetitions is there.
                let block = count == 1 ? nil : [3, 1, UInt8(max(0, count - 1)), 0]
                #expect(place.map { Array(data[$0...].prefix(4)) } == block)
            }
        }
    }

    @Test(
        "durations add up, and none becomes so short that players take it for none",
        arguments: [
            ([33, 33, 33], [30, 40, 30]), ([24, 24, 24, 24, 24], [20, 30, 20, 30, 20]),
            ([12, 12, 100], [20, 20, 100]), ([0, 3, 10, 11], [0, 0, 10, 20]),
        ]
    )
    func durations(given: [Int], written: [Int]) throws {
        let frames = try given.enumerated().map { index, duration in
            AnimationFrame(
                bitmap: try TestImages.bitmap(3, 2) { _, _ in (index * 50, 0, 0, 255) },
                duration: duration
            )
        }
        let data = try GIFEncoder().encode(frames, loopCount: 0, options: EncodeOptions())
        #expect(try ImageCodecs.all.info(of: data).frameDurations == written)
    }
}
