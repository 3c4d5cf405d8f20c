import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import HalcyonSystem
import Testing

@Suite("GIF decoder, hostile and damaged input")
struct GIFHostileInputTests {
    private func decode(
        _ data: Data,
        frame: Int = 0,
        limits: DecodeLimits = .standard,
        damage: DamageHandling = .isRefused
    ) throws -> DecodedImage {
        let options = DecodeOptions(frame: frame, limits: limits, damage: damage)
        return try GIFDecoder().decode(data, options: options, isCancelled: { false })
    }

    private func shown(_ data: Data, frame: Int = 0) throws -> DecodedImage {
        try decode(data, frame: frame, damage: .showsWhatIsThere)
    }

    @Test("a file cut before its first frame is complete is truncated, at every byte")
    func truncation() throws {
        let whole = try GIFEncoder().encode(try TestImages.photo(8, 8), options: EncodeOptions())
        // Without the end mark, the empty sub-block and the last codes, all pixels are still there.
        for count in 1..<whole.count - 5 {
            #expect(throws: CodecError.truncated(.gif), "\(count) bytes") { try decode(whole.prefix(count)) }
        }
        #expect(try decode(whole.prefix(whole.count - 1)).size == PixelSize(8, 8))
        #expect(throws: CodecError.empty) { try decode(Data()) }
    }

    @Test("of an animation cut short, the frames that are complete count")
    func cutAnimation() throws {
        let image = GIFBytes.image(0, 0, 1, 1, [2])
        let start = GIFBytes.header(1, 1) + image
        for count in 0..<image.count {
            let data = Data(start + image.prefix(count))
            #expect(try GIFDecoder().info(of: data, limits: .standard).frameCount == 1)
            #expect(throws: CodecError.noSuchFrame(1, frameCount: 1)) { try decode(data, frame: 1) }
        }
        #expect(try GIFDecoder().info(of: Data(start + image), limits: .standard).frameCount == 2)
    }

    @Test("flipped bytes give an image or a typed error, never a crash", arguments: 0..<8)
    func flips(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed + 1))
        let source = seed % 2 == 0 ? try TestImages.photo(24, 24) : try TestImages.translucent(24, 24)
        let whole = try GIFEncoder().encode(source, options: EncodeOptions())
        for _ in 0..<150 {
            var damaged = whole
            for _ in 0...random.next(below: 4) {
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

    @Test("codes that mean nothing are corrupt, whatever they are", arguments: 0..<4)
    func randomCodes(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed + 40))
        for _ in 0..<200 {
            let bytes = (0..<random.next(below: 250) + 1).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let codeSize = UInt8(random.next(below: 14))
            let head =
                [0x2C] + GIFBytes.number(0) + GIFBytes.number(0) + GIFBytes.number(40) + GIFBytes.number(30) + [0]
            let data = GIFBytes.file(
                GIFBytes.header(40, 30),
                head + [codeSize, UInt8(bytes.count)] + bytes + [0]
            )
            do {
                _ = try? decode(data)
                _ = try shown(data)
            } catch {
                #expect(error is CodecError)
            }
        }
        let damaged = [0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0] + GIFBytes.data([4, 1, 7])
        #expect(throws: CodecError.corrupt(.gif, reason: "frame 0, pixel 1: a code without meaning")) {
            try decode(GIFBytes.file(GIFBytes.header(2, 1), damaged))
        }
    }

    @Test("canvas, frames and memory are limited before memory is taken")
    func limits() throws {
        let huge = GIFBytes.file(GIFBytes.header(65_535, 65_535), GIFBytes.image(0, 0, 1, 1, [0]))
        let size = PixelSize(65_535, 65_535)
        #expect(throws: CodecError.limitExceeded(.gif, .pixelCount(size, maximum: 1 << 28))) { try decode(huge) }
        let hugeFrame = GIFBytes.file(
            GIFBytes.header(1, 1),
            GIFBytes.image(0, 0, 1, 1, [0]),
            GIFBytes.image(0, 0, 65_535, 65_535, [0])
        )
        #expect(try decode(hugeFrame).size == PixelSize(1, 1))
        #expect(throws: CodecError.limitExceeded(.gif, .pixelCount(size, maximum: 1 << 28))) {
            try decode(hugeFrame, frame: 1)
        }
        let image = GIFBytes.image(0, 0, 1, 1, [0])
        let error = #expect(throws: CodecError.self) {
            try decode(
                GIFBytes.file(GIFBytes.header(100, 100), image),
                limits: DecodeLimits(memory: 40_000)
            )
        }
        guard case .limitExceeded(.gif, .memory) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("limits above the standard hold for the frames that are composed")
    func raisedLimits() throws {
        // A frame of more than 2^28 pixels, of which only the first has data.
        let size = PixelSize(65_535, 4_100)
        let file = GIFBytes.file(
            GIFBytes.header(1, 1),
            GIFBytes.image(0, 0, 1, 1, [0]),
            GIFBytes.image(0, 0, size.width, size.height, [1])
        )
        #expect(throws: CodecError.limitExceeded(.gif, .pixelCount(size, maximum: 1 << 28))) {
            try decode(file, frame: 1)
        }
        let limits = DecodeLimits(pixelCount: 1 << 29)
        let image = try decode(file, frame: 1, limits: limits, damage: .showsWhatIsThere)
        #expect(image.size == PixelSize(1, 1) && image.isPartial)
        #expect(throws: CodecError.corrupt(.gif, reason: "frame 1 has 1 of \(size.area) pixels")) {
            try decode(file, frame: 1, limits: limits)
        }
    }

    @Test("a file without area, an image or a frame is a clear error")
    func nothingThere() {
        #expect(throws: CodecError.corrupt(.gif, reason: "there is no image")) {
            try decode(GIFBytes.file(GIFBytes.header(1, 1)))
        }
        #expect(throws: CodecError.corrupt(.gif, reason: "the image has a size of 0×1")) {
            try decode(GIFBytes.file(GIFBytes.header(0, 1), GIFBytes.image(0, 0, 0, 1, [])))
        }
        #expect(throws: CodecError.noSuchFrame(-1, frameCount: 1)) {
            try decode(GIFBytes.file(GIFBytes.header(1, 1), GIFBytes.image(0, 0, 1, 1, [0])), frame: -1)
        }
        #expect(throws: CodecError.corrupt(.gif, reason: "the signature is missing")) {
            try decode(Data("GIF88a and more".utf8))
        }
    }

    @Test("a cancelled decode ends between frames")
    func cancellation() throws {
        // Frames with a transparent colour need those before them.
        let image = GIFBytes.control(transparent: 1) + GIFBytes.image(0, 0, 1, 1, [0])
        let data = GIFBytes.file(GIFBytes.header(1, 1), image, image, image, image)
        let questions = Lock(0)
        #expect(throws: CancellationError.self) {
            try GIFDecoder().decode(data, options: DecodeOptions(frame: 3)) {
                questions.withLock { count in
                    count += 1
                    return count > 2
                }
            }
        }
        #expect(questions.withLock { $0 } == 3)
    }

    @Test("an animation is cut behind the number of frames that the limit allows, and its first frame is shown")
    func frameLimit() throws {
        let image = GIFBytes.control(delay: 7) + GIFBytes.image(0, 0, 1, 1, [2])
        let frames = [UInt8]((0..<10_001).map { _ in image }.joined())
        let info = try GIFDecoder().info(of: GIFBytes.file(GIFBytes.header(1, 1), frames), limits: .standard)
        #expect(info.frameCount == 10_000 && info.frameDurations.count == 10_000 && !info.isFrameCountExact)
        let few = GIFBytes.file(GIFBytes.header(1, 1), image, image, image)
        let limits = DecodeLimits(frameCount: 2)
        let first = try decode(few, limits: limits)
        #expect(first.bitmap[0, 0] == [255, 0, 0, 255] && first.info.frameCount == 2 && !first.info.isFrameCountExact)
        #expect(throws: CodecError.noSuchFrame(2, frameCount: 2)) { try decode(few, frame: 2, limits: limits) }
        let exact = DecodeLimits(frameCount: 3)
        #expect(try GIFDecoder().info(of: few, limits: exact).isFrameCountExact)
    }

    @Test("an image cut short shows the rows that are there, the rest is clear")
    func cutImage() throws {
        let indices = [UInt8](repeating: 2, count: 4 * 40)
        let file = GIFBytes.file(GIFBytes.header(4, 40), GIFBytes.image(0, 0, 4, 40, indices))
        let image = try shown(file.prefix(file.count / 2))
        #expect(image.isPartial && image.size == PixelSize(4, 40))
        #expect(image.bitmap[3, 0] == [255, 0, 0, 255] && image.bitmap[3, 39] == [0, 0, 0, 0])
        // The descriptor has 10 bytes, and the header 13 with 12 of colours.
        for count in [20, 35, 37] {
            #expect(throws: CodecError.truncated(.gif), "\(count)") { try shown(file.prefix(count)) }
        }
        #expect(try !shown(file.dropLast(1)).isPartial && !shown(file + [9, 9]).isPartial)
    }

    @Test("an animation cut within its second frame is one that is cut short, although one image is there")
    func cutSecondFrame() throws {
        let image = GIFBytes.control(delay: 7) + GIFBytes.image(0, 0, 1, 1, [2])
        let header = GIFBytes.header(1, 1)
        let (file, first) = (GIFBytes.file(header, image, image), header.count + image.count)
        // The control of the second frame has 8 bytes.
        for count in first + 1..<file.count - 1 where count != first + 8 {
            let info = try GIFDecoder().info(of: file.prefix(count), limits: .standard)
            #expect(info.frameCount == 1 && info.file.hasEnd == false, "\(count)")
        }
        #expect(try GIFDecoder().info(of: GIFBytes.file(header, image), limits: .standard).file.hasEnd == nil)
        #expect(try GIFDecoder().info(of: file.prefix(first), limits: .standard).file.hasEnd == nil)
        #expect(try GIFDecoder().info(of: file, limits: .standard).file.hasEnd == true)
    }

    @Test("a damaged frame shows what is there, and the others as they are")
    func damagedFrame() throws {
        // A clear code, a row, and a code that has no run yet.
        let damaged = [0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0] + GIFBytes.data([4, 1, 4, 1, 7])
        let nothing = [0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0, 13, 1, 0, 0] as [UInt8]
        let sound = GIFBytes.image(0, 0, 2, 2, [2, 2, 2, 2])
        let file = GIFBytes.file(GIFBytes.header(2, 2), damaged, sound, nothing)
        let first = try shown(file)
        #expect(first.isPartial && first.bitmap[1, 0] == [255, 255, 255, 255] && first.bitmap[0, 1] == [0, 0, 0, 0])
        let second = try shown(file, frame: 1)
        #expect(!second.isPartial && second.bitmap[0, 1] == [255, 0, 0, 255])
        let third = try shown(file, frame: 2)
        #expect(third.isPartial && third.bitmap[0, 1] == [255, 0, 0, 255])
        let reader = try FrameReader(file, decoder: GIFDecoder())
        #expect(try (0..<3).map { try reader.frame(at: $0).isPartial } == [true, false, true])
        #expect(throws: CodecError.self) { try shown(GIFBytes.file(GIFBytes.header(2, 2), nothing)) }
    }

    @Test("a frame that leaves no trace is not decoded on the way to another")
    func tracelessFrame() throws {
        let wrong = [0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0, 13, 1, 0, 0] as [UInt8]
        let file = GIFBytes.file(
            GIFBytes.header(2, 2),
            GIFBytes.image(0, 0, 2, 2, [1, 1, 1, 1]),
            GIFBytes.control(disposal: 3) + wrong,
            GIFBytes.image(1, 1, 1, 1, [2])
        )
        let last = try decode(file, frame: 2).bitmap
        #expect(last[0, 0] == [255, 255, 255, 255] && last[1, 1] == [255, 0, 0, 255] && last.isOpaque)
        #expect(throws: CodecError.self) { try decode(file, frame: 1) }
    }

    @Test("more sub-blocks than four millions are not walked")
    func countlessBlocks() throws {
        let blocks = [UInt8](repeating: 0, count: 5 << 20)
        let image = GIFBytes.image(0, 0, 1, 1, [2])
        let data = GIFBytes.file(GIFBytes.header(1, 1), image, blocks, image)
        let info = try GIFDecoder().info(of: data, limits: .standard)
        #expect(info.frameCount == 1 && !info.isFrameCountExact)
        #expect(try decode(data).bitmap[0, 0] == [255, 0, 0, 255])
    }

    @Test("the description of a file is in its first 32 MiB, and says where that may not be all")
    func longFile() throws {
        let image = GIFBytes.image(0, 0, 1, 1, [2])
        let block = [255] + [UInt8](repeating: 9, count: 255)
        let comment = Data([0x21, 0xfe]) + Data(repeatElement(block, count: 140_000).joined()) + [0]
        let start = Data(GIFBytes.header(1, 1) + image + image)
        let info = { (data: Data) in try GIFDecoder().info(of: data, limits: .standard) }
        let long = try info(start + comment + image + [0x3b])
        #expect(long.frameCount == 2 && !long.isFrameCountExact)
        let whole = try info(start + [0x3b] + comment)
        #expect(whole.frameCount == 2 && whole.isFrameCountExact)
        let cut = try info(start)
        #expect(cut.frameCount == 2 && cut.isFrameCountExact)
    }
}
