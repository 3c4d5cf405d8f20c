import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonTIFF

@Suite("TIFF decoding")
struct TIFFDecoderTests {
    private let decoder = TIFFDecoder()

    private func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        try decoder.decode(data, options: options, isCancelled: { false })
    }

    private func pixels(_ file: TIFFBytes) throws -> [[UInt8]] {
        let image = try decode(file.data)
        return (0..<image.size.width).map { image.bitmap[$0, 0] }
    }

    /// One row of three pixels.
    private func row(_ samples: [UInt8], isLittle: Bool = true, _ entries: [TIFFBytes.Entry]) -> TIFFBytes {
        var file = TIFFBytes(isLittle: isLittle)
        file.addPage(width: 3, height: 1, samples: samples, entries)
        return file
    }

    private func entry(_ tag: Int, _ values: Int...) -> TIFFBytes.Entry {
        TIFFBytes.Entry(tag: tag, type: 3, values: values)
    }

    private func gray(_ values: UInt8...) -> [[UInt8]] {
        values.map { [$0, $0, $0, 255] }
    }

    @Test("both byte orders and both widths of offsets are read", arguments: [true, false], [true, false])
    func headers(isLittle: Bool, isBig: Bool) throws {
        var file = TIFFBytes(isBig: isBig, isLittle: isLittle)
        file.addPage(width: 2, height: 2, samples: [0, 80, 160, 255])
        #expect(ImageFormat.detect(file.data) == .tiff && decoder.recognizes(file.data.prefix(64)))
        let image = try decode(file.data)
        #expect(image.info == ImageInfo(format: .tiff, size: PixelSize(2, 2), colorSpace: .gray))
        #expect(try decoder.info(of: file.data, limits: .standard) == image.info)
        #expect(image.bitmap[0, 0] == [0, 0, 0, 255] && image.bitmap[1, 1] == [255, 255, 255, 255])
        #expect(image.bitmap.isOpaque)
    }

    @Test("grey samples of 1 to 64 bits, whole, signed and floating-point, become 8 bits")
    func grayDepths() throws {
        #expect(try pixels(row([0b1010_0000], [entry(258, 1)])) == gray(255, 0, 255))
        #expect(try pixels(row([0b0001_1000], [entry(258, 2), entry(262, 0)])) == gray(255, 170, 85))
        #expect(try pixels(row([0x0f, 0x80], [entry(258, 4)])) == gray(0, 255, 136))
        #expect(try pixels(row([0xff, 0xf8, 0x00, 0x00, 0x00], [entry(258, 12)])) == gray(255, 128, 0))
        #expect(try pixels(row([0xcd, 0xab, 0, 1, 255, 0], [entry(258, 16)])) == gray(0xab, 1, 0))
        let big = row([0xab, 0xcd, 1, 0, 0, 255], isLittle: false, [entry(258, 16)])
        #expect(try pixels(big) == gray(0xab, 1, 0))
        let signed = [entry(258, 16), entry(339, 2)]
        #expect(try pixels(row([0, 0x80, 0, 0, 0xff, 0x7f], signed)) == gray(0, 128, 255))
        let wide: [UInt8] = [0, 0, 0, 0, 1, 2, 3, 4, 0xff, 0xff, 0xff, 0xff]
        #expect(try pixels(row(wide, [entry(258, 32)])) == gray(0, 4, 255))
    }

    @Test("samples of more than 8 bits are kept on request, multiplied by alpha")
    func sixteenBits() throws {
        func wide(_ file: TIFFBytes) throws -> [UInt16] {
            let bitmap = try decode(file.data, DecodeOptions(keepsSixteenBits: true)).bitmap
            #expect(bitmap.depth == .sixteen)
            return bitmap.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self).prefix(12)) }
        }
        let gray = try wide(row([0xcd, 0xab, 0, 1, 255, 0], [entry(258, 16)]))
        #expect(gray == [0xabcd, 0xabcd, 0xabcd, 0xffff, 256, 256, 256, 0xffff, 255, 255, 255, 0xffff])
        let grayAlpha: [UInt8] = [0, 0x80, 0xff, 0x7f, 1, 0, 0xff, 0xff, 9, 9, 0, 0]
        let kinds = [entry(258, 16, 16), entry(277, 2)]
        let straight = try wide(row(grayAlpha, kinds + [entry(338, 2)]))
        #expect(straight == [0x4000, 0x4000, 0x4000, 0x7fff, 1, 1, 1, 0xffff, 0, 0, 0, 0])
        let associated = try wide(row(grayAlpha, kinds + [entry(338, 1)]))
        #expect(associated == [0x7fff, 0x7fff, 0x7fff, 0x7fff, 1, 1, 1, 0xffff, 0, 0, 0, 0])
        let narrow = try decode(row([1, 2, 3], []).data, DecodeOptions(keepsSixteenBits: true))
        #expect(narrow.bitmap.depth == .eight)
    }

    @Test("floating-point samples stand for 0 to 1, and what lies beyond is cut off")
    func floats() throws {
        func bytes(_ values: [Float]) -> [UInt8] {
            values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) } }
        }
        let kind = [entry(258, 32), entry(339, 3)]
        #expect(try pixels(row(bytes([-1, 0.5, 7]), kind)) == gray(0, 128, 255))
        #expect(try pixels(row(bytes([.nan, .infinity, -.infinity]), kind)) == gray(0, 255, 0))
        // 0.5, 1 and a number too small to see, in binary16.
        let half: [UInt8] = [0x00, 0x38, 0x00, 0x3c, 0x01, 0x00]
        #expect(try pixels(row(half, [entry(258, 16), entry(339, 3)])) == gray(128, 255, 0))
        let doubles = [0.25, 1, -0.0].flatMap { value in
            (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) }
        }
        #expect(try pixels(row(doubles, [entry(258, 64), entry(339, 3)])) == gray(64, 255, 0))
    }

    @Test("palettes of 16 bits a colour are read, and those that hold 8 bits by mistake")
    func palettes() throws {
        let colors = [0, 0xffff, 0x8000, 0, 0, 0xffff, 0x4000, 0, 0xffff, 0, 0, 0]
        let map = TIFFBytes.Entry(tag: 320, type: 3, values: colors)
        let expected: [[UInt8]] = [[255, 255, 0, 255], [128, 64, 0, 255], [0, 0, 255, 255]]
        #expect(try pixels(row([0b0110_0000], [entry(258, 2), entry(262, 3), map])) == expected)
        let small = TIFFBytes.Entry(tag: 320, type: 3, values: colors.map { $0 >> 8 })
        #expect(try pixels(row([0b0110_0000], [entry(258, 2), entry(262, 3), small])) == expected)
    }

    @Test("alpha is taken as the file says: straight, premultiplied, or none of the samples")
    func alpha() throws {
        let samples: [UInt8] = [200, 100, 0, 128, 200, 100, 0, 255, 200, 100, 0, 0]
        let rgba = [entry(258, 8, 8, 8, 8), entry(262, 2), entry(277, 4)]
        let straight = try decode(row(samples, rgba + [entry(338, 2)]).data)
        #expect(straight.info.hasAlpha && !straight.bitmap.isOpaque)
        #expect((0..<3).map { straight.bitmap[$0, 0] } == [[100, 50, 0, 128], [200, 100, 0, 255], [0, 0, 0, 0]])
        let associated = try pixels(row(samples, rgba + [entry(338, 1)]))
        #expect(associated == [[128, 100, 0, 128], [200, 100, 0, 255], [0, 0, 0, 0]])
        let other = try decode(row(samples, rgba + [entry(338, 0)]).data)
        #expect(!other.info.hasAlpha && other.bitmap.isOpaque && other.bitmap[2, 0] == [200, 100, 0, 255])
        let grayAlpha = [entry(258, 8, 8), entry(277, 2)]
        #expect(try pixels(row([200, 128, 9, 255, 9, 0], grayAlpha + [entry(338, 2)]))[0] == [100, 100, 100, 128])
        // Viewers take a sample that nothing is said of for alpha.
        let nameless = try decode(row(samples, rgba).data)
        #expect(nameless.info.hasAlpha)
        #expect((0..<3).map { nameless.bitmap[$0, 0] } == (0..<3).map { straight.bitmap[$0, 0] })
        #expect(try pixels(row([200, 128, 9, 255, 9, 0], grayAlpha))[0] == [100, 100, 100, 128])
    }

    @Test("alpha beside indexes is a share, not an index", arguments: [1, 2])
    func paletteAlpha(_ kind: Int) throws {
        let map = TIFFBytes.Entry(
            tag: 320,
            type: 3,
            values: (0..<768).map { $0 == 3 ? 0x6400 : $0 == 259 ? 0x3200 : 0 }
        )
        let entries = [entry(258, 8, 8), entry(262, 3), entry(277, 2), entry(338, kind), map]
        let image = try decode(row([3, 128, 3, 255, 3, 0], entries).data)
        let expected: [UInt8] = kind == 1 ? [100, 50, 0, 128] : [50, 25, 0, 128]
        #expect((0..<3).map { image.bitmap[$0, 0] } == [expected, [100, 50, 0, 255], [0, 0, 0, 0]])
        #expect(image.info.hasAlpha && !image.bitmap.isOpaque)
        // Four bits each: index 1, alpha 5 of 15.
        let small = TIFFBytes.Entry(tag: 320, type: 3, values: (0..<48).map { $0 == 1 ? 0xffff : 0 })
        let narrow = [entry(258, 4, 4), entry(262, 3), entry(277, 2), entry(338, 2), small]
        #expect(try pixels(row([0x15, 0x1f, 0x10], narrow)) == [[85, 0, 0, 85], [255, 0, 0, 255], [0, 0, 0, 0]])
    }

    @Test("CMYK becomes RGB, and planes are put together")
    func colorModels() throws {
        let cmyk: [UInt8] = [0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 128]
        let separated = [entry(258, 8, 8, 8, 8), entry(262, 5), entry(277, 4)]
        #expect(try pixels(row(cmyk, separated)) == [[255, 255, 255, 255], [0, 255, 255, 255], [127, 0, 127, 255]])
        // Inks with names are shown as if they were these.
        #expect(try pixels(row(cmyk, separated + [entry(332, 2)])) == pixels(row(cmyk, separated)))
        var planes = TIFFBytes()
        let places = [[1, 2, 3], [4, 5, 6], [7, 8, 9]].map { planes.place($0) }
        planes.addPage(
            width: 3,
            height: 1,
            samples: [],
            [
                entry(258, 8, 8, 8), entry(262, 2), entry(277, 3), entry(284, 2),
                TIFFBytes.Entry(tag: 273, type: 4, values: places),
                TIFFBytes.Entry(tag: 279, type: 4, values: [3, 3, 3]),
            ]
        )
        #expect(try pixels(planes) == [[1, 4, 7, 255], [2, 5, 8, 255], [3, 6, 9, 255]])
    }

    @Test("runs of PackBits may cross the ends of rows")
    func packBits() throws {
        let samples = (0..<30).map { UInt8($0 * 8) }
        var bytes = TIFFBytes()
        // 7 equal samples, then 23 as they are, in rows of 5.
        let packed: [UInt8] = [UInt8(bitPattern: -6), 0, 22] + samples[7...]
        bytes.addPage(width: 5, height: 6, samples: packed, [.init(tag: 259, type: 3, values: [32_773])])
        let image = try TIFFDecoder().decode(bytes.data, options: DecodeOptions(), isCancelled: { false })
        #expect(!image.isPartial)
        let expected = [UInt8](repeating: 0, count: 7) + samples[7...]
        let reds = image.bitmap.withUnsafeBytes { pixels in
            (0..<30).map { pixels[$0 / 5 * image.bitmap.bytesPerRow + $0 % 5 * 4] }
        }
        #expect(reds == expected)
    }

    @Test("the white of CIELab is the screen's, and greys have no colour")
    func lab() throws {
        // L* 100, 53.6 and 0, without colour.
        let samples: [UInt8] = [255, 0, 0, 137, 0, 0, 0, 0, 0]
        for pixel in zip(
            try pixels(row(samples, [entry(258, 8, 8, 8), entry(262, 8), entry(277, 3)])),
            gray(255, 128, 0)
        ) {
            #expect(zip(pixel.0, pixel.1).allSatisfy { abs(Int($0) - Int($1)) <= 6 }, "\(pixel)")
        }
    }

    @Test("tiles at the right and lower border are cut to the image")
    func tiles() throws {
        var file = TIFFBytes()
        let places = (0..<4).map { tile in file.place((0..<256).map { UInt8($0 % 16 + tile * 50) }) }
        file.addPage(
            width: 20,
            height: 18,
            samples: [],
            [
                entry(322, 16), entry(323, 16), TIFFBytes.Entry(tag: 324, type: 4, values: places),
                TIFFBytes.Entry(tag: 325, type: 4, values: [256, 256, 256, 256]),
            ]
        )
        let bitmap = try decode(file.data).bitmap
        #expect(bitmap.size == PixelSize(20, 18))
        #expect([bitmap[15, 15], bitmap[16, 0], bitmap[0, 16], bitmap[19, 17]].map { $0[0] } == [15, 50, 100, 153])
    }

    /// Strips of one row of two pixels, of which the second of three is left out of the file, and the value of no data.
    @Test(
        "what a sparse file leaves out is 0, or its value of no data",
        arguments: [
            (8, 1, nil, 0), (8, 1, "200", 200), (8, 1, "-9999", 0), (16, 1, "25700 ", 100), (32, 1, "nan", 0),
            (32, 3, "0.2", 51), (8, 1, "x", 0),
        ] as [(Int, Int, String?, UInt8)]
    )
    func sparseStrips(bits: Int, format: Int, text: String?, expected: UInt8) throws {
        var file = TIFFBytes()
        let one: [UInt8] = format == 3 ? [0, 0, 128, 63] : [UInt8](repeating: 255, count: bits / 8)
        let (strip, byteCount) = (file.place(one + one), 2 * one.count)
        var entries = [
            entry(258, bits), entry(339, format), entry(278, 1), longs(273, strip, 0, strip),
            longs(279, byteCount, 0, byteCount),
        ]
        if let text { entries.append(TIFFBytes.Entry(tag: 42_113, type: 2, values: text.utf8.map(Int.init) + [0])) }
        file.addPage(width: 2, height: 3, samples: [], entries)
        let image = try decode(file.data)
        #expect(!image.isPartial)
        #expect((0..<3).map { image.bitmap[1, $0] } == [255, expected, 255].map { [$0, $0, $0, 255] })
    }

    @Test("tiles and planes that a sparse file leaves out are 0, with the others and alone")
    func sparseTiles() throws {
        var file = TIFFBytes()
        let tile = file.place([UInt8](repeating: 200, count: 256))
        let sides = [entry(322, 16), entry(323, 16)]
        file.addPage(width: 32, height: 16, samples: [], sides + [longs(324, 0, tile), longs(325, 0, 256)])
        let planes = [entry(258, 8, 8, 8), entry(262, 2), entry(277, 3), entry(284, 2)]
        let places = [longs(324, tile, 0, tile), longs(325, 256, 0, 256)]
        file.addPage(width: 16, height: 16, samples: [], sides + planes + places)
        file.addPage(width: 16, height: 16, samples: [], sides + [longs(324, 0), longs(325, 0)])
        let images = try (0..<3).map { try decode(file.data, DecodeOptions(frame: $0)) }
        #expect(images.allSatisfy { !$0.isPartial })
        #expect(images[0].bitmap[15, 15] == [0, 0, 0, 255] && images[0].bitmap[16, 0] == [200, 200, 200, 255])
        #expect(images[1].bitmap[3, 3] == [200, 0, 200, 255] && images[2].bitmap[3, 3] == [0, 0, 0, 255])
    }

    private func longs(_ tag: Int, _ values: Int...) -> TIFFBytes.Entry {
        TIFFBytes.Entry(tag: tag, type: 4, values: values)
    }

    @Test("the orientation is applied once, or not at all", arguments: 1...8)
    func orientation(_ value: Int) throws {
        var file = TIFFBytes()
        file.addPage(width: 3, height: 2, samples: [10, 20, 30, 40, 50, 60], [entry(274, value)])
        let image = try decode(file.data)
        let orientation = try #require(Orientation(rawValue: value))
        #expect(image.info.orientation == orientation && image.info.size == PixelSize(3, 2))
        #expect(image.size == image.info.displaySize)
        let stored = try decode(file.data, DecodeOptions(appliesOrientation: false)).bitmap
        #expect(stored.size == PixelSize(3, 2) && stored[2, 0][0] == 30)
        #expect(try stored.oriented(orientation).premultipliedBytes() == image.bitmap.premultipliedBytes())
    }

    @Test("pages are frames of their own sizes, without smaller versions of other pages")
    func pages() throws {
        var file = TIFFBytes()
        file.addPage(width: 2, height: 1, samples: [1, 2])
        file.addPage(width: 1, height: 1, samples: [7], [entry(254, 1)])
        file.addPage(width: 1, height: 2, samples: [3, 4])
        #expect(try decoder.info(of: file.data, limits: .standard).frameCount == 2)
        let second = try decode(file.data, DecodeOptions(frame: 1))
        #expect(second.info.size == PixelSize(1, 2) && second.bitmap[0, 1][0] == 4)
        #expect(throws: CodecError.noSuchFrame(2, frameCount: 2)) { try decode(file.data, DecodeOptions(frame: 2)) }
        #expect(throws: CodecError.noSuchFrame(-1, frameCount: 2)) { try decode(file.data, DecodeOptions(frame: -1)) }
        let limits = DecodeLimits(frameCount: 2)
        let counted = try decoder.info(of: file.data, limits: limits)
        #expect(counted.frameCount == 1 && !counted.isFrameCountExact)
        #expect(try decode(file.data, DecodeOptions(limits: limits)).info == counted)
        #expect(try decoder.info(of: file.data, limits: .standard).isFrameCountExact)
    }

    @Test("masks are no pages, and a smaller mask is no smaller version", arguments: [4, 5, 6])
    func masks(subfileType: Int) throws {
        var file = TIFFBytes()
        file.addPage(width: 4, height: 2, samples: [UInt8](repeating: 9, count: 8))
        file.addPage(width: 2, height: 1, samples: [7, 7], [entry(254, subfileType), entry(262, 4)])
        file.addPage(width: 1, height: 2, samples: [3, 4], [entry(254, 2)])
        #expect(try decoder.info(of: file.data, limits: .standard).frameCount == 2)
        #expect(try decode(file.data, DecodeOptions(frame: 1)).bitmap[0, 1][0] == 4)
        #expect(try decode(file.data, DecodeOptions(usesEmbeddedThumbnail: true)).bitmap[0, 0][0] == 9)
    }

    @Test("pages read one after the other have their own sizes, orientations and profiles, in any order")
    func cursor() throws {
        var profile = [UInt8](ICCProfileBytes.version4([("en", "Display P3")]))
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        let icc = TIFFBytes.Entry(tag: 34_675, type: 7, values: profile.map(Int.init))
        var file = TIFFBytes()
        file.addPage(width: 2, height: 1, samples: [1, 2])
        file.addPage(width: 3, height: 2, samples: [10, 20, 30, 40, 50, 60], [entry(274, 6)])
        let rgb = [entry(258, 8, 8, 8), entry(262, 2), entry(277, 3)]
        file.addPage(width: 1, height: 1, samples: [7, 8, 9], rgb + [icc])
        let reader = try FrameReader(file.data, decoder: decoder, options: DecodeOptions(color: .asStored))
        #expect(reader.frameCount == 3 && reader.info.size == PixelSize(2, 1))
        for index in [1, 2, 0, 1] {
            let page = try reader.frame(at: index)
            let alone = try decode(file.data, DecodeOptions(frame: index, color: .asStored))
            #expect(page.info == alone.info && page.size == alone.size && page.fullSize == alone.fullSize)
            #expect(page.bitmap.premultipliedBytes() == alone.bitmap.premultipliedBytes())
            #expect(page.colorProfile == alone.colorProfile)
        }
        #expect(try reader.frame(at: 1).fullSize == PixelSize(2, 3))
        #expect(throws: CodecError.noSuchFrame(3, frameCount: 3)) { try reader.frame(at: 3) }
    }

    @Test("a chain of pages that leads back ends there")
    func loop() throws {
        var file = TIFFBytes()
        let strip = file.bytes.count
        file.addPage(width: 2, height: 1, samples: [1, 2])
        file.addPage(width: 2, height: 1, samples: [3, 4], linksTo: strip + 2)
        #expect(try decoder.info(of: file.data, limits: .standard).frameCount == 2)
    }

    @Test("a smaller version of the page stands in where it is asked for and large enough")
    func thumbnail() throws {
        var file = TIFFBytes()
        file.addPage(width: 8, height: 4, samples: [UInt8](repeating: 9, count: 32))
        file.addPage(width: 4, height: 2, samples: [UInt8](repeating: 5, count: 8), [entry(254, 1)])
        file.addPage(width: 3, height: 3, samples: [UInt8](repeating: 1, count: 9), [entry(254, 1)])
        func width(_ target: PixelSize?, _ usesThumbnail: Bool) throws -> Int {
            let options = DecodeOptions(targetSize: target, usesEmbeddedThumbnail: usesThumbnail)
            let image = try decode(file.data, options)
            #expect(image.info.size == PixelSize(8, 4))
            return image.size.width
        }
        #expect(try width(nil, true) == 4)
        #expect(try width(PixelSize(3, 2), true) == 4)
        #expect(try width(PixelSize(5, 2), true) == 8)
        #expect(try width(PixelSize(1, 1), false) == 8)
    }

    @Test("each of several pages has the smaller versions that come after it")
    func thumbnailsOfPages() throws {
        func samples(_ file: TIFFBytes) throws -> [UInt8] {
            try (0..<2).map { frame in
                let image = try decode(file.data, DecodeOptions(frame: frame, usesEmbeddedThumbnail: true))
                return image.bitmap[0, 0][0]
            }
        }
        func file(_ pages: (gray: UInt8, isReduced: Bool)...) -> TIFFBytes {
            var file = TIFFBytes()
            for page in pages {
                let width = page.isReduced ? 4 : 8
                let samples = [UInt8](repeating: page.gray, count: width * width / 2)
                file.addPage(width: width, height: width / 2, samples: samples, [entry(254, page.isReduced ? 1 : 0)])
            }
            return file
        }
        #expect(try samples(file((1, false), (2, true), (3, false), (4, true))) == [2, 4])
        #expect(try samples(file((1, false), (2, true), (3, false))) == [2, 3])
        // It could be that of the page after it.
        #expect(try samples(file((2, true), (1, false), (4, true), (3, false))) == [1, 3])
    }

    @Test("an ICC profile of RGB is handed on with the pixels")
    func colorProfile() throws {
        var profile = [UInt8](ICCProfileBytes.version4([("en", "Display P3")]))
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        let icc = TIFFBytes.Entry(tag: 34_675, type: 7, values: profile.map(Int.init))
        let rgb = [entry(258, 8, 8, 8), entry(262, 2), entry(277, 3)]
        let image = try decode(row([UInt8](repeating: 0, count: 9), rgb + [icc]).data)
        #expect(image.colorProfile == .icc(Data(profile)))
        #expect(image.info.colorSpace == .icc(description: "Display P3"))
    }
}
