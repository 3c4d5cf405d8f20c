import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("GIF decoder, what the format can say")
struct GIFFormatTests {
    /// One letter a pixel: b, w, r, g, and a dot where it is transparent.
    private func letters(_ data: Data, frame: Int = 0) throws -> String {
        let image = try GIFDecoder().decode(data, options: DecodeOptions(frame: frame), isCancelled: { false })
        let pixels = image.bitmap.premultipliedBytes()
        let names: [[UInt8]: String] = [
            [0, 0, 0, 255]: "b", [255, 255, 255, 255]: "w", [255, 0, 0, 255]: "r", [0, 255, 0, 255]: "g",
            [0, 0, 0, 0]: ".",
        ]
        return stride(from: 0, to: pixels.count, by: 4).map { names[Array(pixels[$0..<$0 + 4])] ?? "?" }.joined()
    }

    @Test("a frame is kept, cleared to transparent, or undone before the next")
    func disposal() throws {
        let data = GIFBytes.file(
            GIFBytes.header(3, 1),
            GIFBytes.control(disposal: 1),
            GIFBytes.image(0, 0, 3, 1, [1, 1, 1]),
            GIFBytes.control(disposal: 3),
            GIFBytes.image(0, 0, 1, 1, [2]),
            GIFBytes.control(disposal: 2),
            GIFBytes.image(1, 0, 1, 1, [3]),
            GIFBytes.control(disposal: 0, transparent: 0),
            GIFBytes.image(0, 0, 3, 1, [0, 0, 2])
        )
        #expect(try letters(data, frame: 0) == "www")
        #expect(try letters(data, frame: 1) == "rww")
        #expect(try letters(data, frame: 2) == "wgw")
        #expect(try letters(data, frame: 3) == "w.r")
    }

    @Test("what no frame covers is transparent")
    func uncovered() throws {
        let data = GIFBytes.file(GIFBytes.header(2, 2), GIFBytes.image(1, 1, 1, 1, [2]))
        #expect(try letters(data) == "...r")
        let image = try GIFDecoder().decode(data, options: DecodeOptions(), isCancelled: { false })
        #expect(!image.bitmap.isOpaque)
    }

    @Test("the first frame makes the canvas larger, later ones are cut at its edge")
    func beyondCanvas() throws {
        let data = GIFBytes.file(
            GIFBytes.header(1, 1),
            GIFBytes.image(1, 0, 1, 1, [2]),
            GIFBytes.image(1, 0, 2, 2, [3, 1, 1, 1])
        )
        #expect(try GIFDecoder().info(of: data, limits: .standard).size == PixelSize(2, 1))
        #expect(try letters(data, frame: 0) == ".r")
        #expect(try letters(data, frame: 1) == ".g")
    }

    @Test("a frame wholly outside the canvas changes nothing")
    func outside() throws {
        let data = GIFBytes.file(
            GIFBytes.header(2, 1),
            GIFBytes.image(0, 0, 2, 1, [2, 2]),
            GIFBytes.image(60_000, 60_000, 1, 1, [1])
        )
        #expect(try letters(data, frame: 1) == "rr")
    }

    @Test("interlaced rows go where they belong")
    func interlace() throws {
        // Nine rows are stored in the order 0, 8, 4, 2, 6, 1, 3, 5, 7.
        let data = GIFBytes.file(
            GIFBytes.header(1, 9),
            GIFBytes.image(0, 0, 1, 9, [1, 2, 3, 0, 0, 1, 1, 2, 2], interlaced: true)
        )
        #expect(try letters(data) == "wwbwgrbrr")
    }

    @Test("a frame's own palette comes before the file's; without either, pixels are black")
    func palettes() throws {
        let own = GIFBytes.file(
            GIFBytes.header(1, 1),
            GIFBytes.image(0, 0, 1, 1, [0], palette: [255, 0, 0] + [UInt8](repeating: 9, count: 9))
        )
        #expect(try letters(own) == "r")
        let neither = GIFBytes.file(GIFBytes.header(1, 1, palette: nil), GIFBytes.image(0, 0, 1, 1, [3]))
        #expect(try letters(neither) == "b")
    }

    @Test("durations come in milliseconds as stored, and the last of several controls holds")
    func timing() throws {
        let data = GIFBytes.file(
            GIFBytes.header(1, 1),
            GIFBytes.loop(5),
            GIFBytes.control(delay: 99),
            GIFBytes.control(delay: 1),
            GIFBytes.image(0, 0, 1, 1, [0]),
            GIFBytes.image(0, 0, 1, 1, [1]),
            GIFBytes.control(delay: 0xFFFF, transparent: 1),
            GIFBytes.image(0, 0, 1, 1, [1])
        )
        let info = try GIFDecoder().info(of: data, limits: .standard)
        #expect(info.frameDurations == [10, 0, 655_350])
        #expect(info.loopCount == 6)
        #expect(info.hasAlpha)
    }

    @Test("the header tells of alpha where a frame leaves the canvas clear, as the pixels do")
    func gaps() throws {
        let (small, whole) = (GIFBytes.image(0, 0, 1, 1, [2]), GIFBytes.image(0, 0, 2, 1, [2, 3]))
        let right = GIFBytes.image(1, 0, 1, 1, [2])
        let cases: [(blocks: [[UInt8]], hasAlpha: Bool)] = [
            ([small], true), ([whole], false), ([whole, small], false), ([small, whole], true),
            ([GIFBytes.control(disposal: 2), whole, small], true),
            ([GIFBytes.control(disposal: 2), whole, whole], false),
            ([whole, GIFBytes.control(disposal: 2), right, right], false),
            ([GIFBytes.control(disposal: 3), whole, small], true),
            ([whole, GIFBytes.control(disposal: 3), small, right], false),
        ]
        for (index, (blocks, hasAlpha)) in cases.enumerated() {
            let data = Data(GIFBytes.header(2, 1) + blocks.flatMap { $0 } + [0x3B])
            #expect(try GIFDecoder().info(of: data, limits: .standard).hasAlpha == hasAlpha, "\(index)")
            let count = blocks.count { $0[0] == 0x2C }
            let isClear = try (0..<count).contains { frame in
                let image = try GIFDecoder().decode(data, options: DecodeOptions(frame: frame), isCancelled: { false })
                return image.bitmap.withUnsafeBytes { $0[3] == 0 || $0[7] == 0 }
            }
            #expect(isClear == hasAlpha, "\(index)")
        }
    }

    @Test(
        "an animation without a number of repetitions plays once, a still image has none",
        arguments: ["NETSCAPE2.0", "ANIMEXTS1.0"]
    )
    func loops(name: String) throws {
        let image = GIFBytes.image(0, 0, 1, 1, [0])
        let info = { (data: Data) in try GIFDecoder().info(of: data, limits: .standard) }
        #expect(try info(GIFBytes.file(GIFBytes.header(1, 1), image, image)).loopCount == 1)
        #expect(
            try info(GIFBytes.file(GIFBytes.header(1, 1), GIFBytes.loop(0, name: name), image, image)).loopCount == 0
        )
        for count in [1, 2, 65_535] {
            let data = GIFBytes.file(GIFBytes.header(1, 1), GIFBytes.loop(count, name: name), image, image)
            #expect(try info(data).loopCount == count + 1)
        }
        let still = try info(GIFBytes.file(GIFBytes.header(1, 1), GIFBytes.loop(0, name: name), image))
        #expect(still.loopCount == nil)
        #expect(still.frameDurations.isEmpty)
        #expect(still.frameCount == 1)
    }

    @Test("minimum code sizes that the specification does not have are decoded as browsers do")
    func codeSizes() throws {
        let cases: [(size: UInt8, codes: [(code: Int, bitCount: Int)], expected: String)] = [
            // One colour: the clear code is 1, and code 3 is the run of two.
            (0, [(1, 1), (0, 1), (3, 2), (0, 3), (2, 3)], "bbbb"),
            (1, [(2, 2), (1, 2), (4, 3), (0, 3), (3, 3)], "wwwb"),
            (9, [(512, 10), (2, 10), (514, 10), (1, 10), (513, 10)], "rrrw"),
            (11, [(2048, 12), (2, 12), (2050, 12), (1, 12), (2049, 12)], "rrrw"),
            // Of an index, the lower 8 bits count.
            (12, [(4096, 13), (2, 13), (3, 13), (1, 13), (258, 13), (4097, 13)], "rgwr"),
        ]
        for (size, codes, expected) in cases {
            let image = GIFBytes.image(4, 1, data: GIFBytes.data(minimumCodeSize: size, codes))
            let data = GIFBytes.file(GIFBytes.header(4, 1), image)
            #expect(try letters(data) == expected, "\(size)")
            let options = DecodeOptions(damage: .isRefused)
            #expect(try !GIFDecoder().decode(data, options: options, isCancelled: { false }).isPartial, "\(size)")
        }
    }

    @Test("codes that begin with two bits grow behind the first index, as encoders have it")
    func growingCodes() throws {
        // Each code is the run that it adds: one index longer than the one before.
        var codes: [(code: Int, bitCount: Int)] = [(2, 2), (1, 2)]
        var (next, bitCount, pixelCount) = (4, 3, 1)
        while pixelCount < 60_000 {
            codes.append((next, bitCount))
            pixelCount += codes.count - 1
            next += 1
            if next == 1 << bitCount { bitCount += 1 }
        }
        let width = pixelCount / 4
        let image = GIFBytes.image(width, 4, data: GIFBytes.data(minimumCodeSize: 1, codes))
        let data = GIFBytes.file(GIFBytes.header(width, 4), image)
        let options = DecodeOptions(damage: .isRefused)
        let bitmap = try GIFDecoder().decode(data, options: options, isCancelled: { false }).bitmap
        #expect(bitmap[0, 0] == [255, 255, 255, 255] && bitmap[width - 1, 3] == [255, 255, 255, 255])
    }

    @Test("data that end before the image leave the rest as it was")
    func shortData() throws {
        let data = GIFBytes.file(GIFBytes.header(3, 1), GIFBytes.image(0, 0, 3, 1, [2]))
        #expect(try letters(data) == "r..")
    }
}
