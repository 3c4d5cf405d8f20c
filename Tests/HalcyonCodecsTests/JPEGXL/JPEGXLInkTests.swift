import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonJPEGXL

@Suite("JPEG XL in four inks")
struct JPEGXLInkTests {
    /// Written by libjxl 0.7, lossless: 4 × 2 pixels without ink, of cyan, of half the black, and of magenta, yellow
    /// and half the black; in the second row, the last has all of it.
    private static let plain = """
        AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAAA8anhsY/8KCHAwCkACCAgQAJgASxiLFcIRqhMFsKf+\
        AcT8qZ9AVgGo/zeT/3ELfLImf9f/lCEL7w8=
        """
    /// The same with a profile of inks that print grey: no ink is L* 100, each of cyan, magenta and yellow takes 20 of
    /// it, black all.
    private static let profiled = """
        AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAAGbanhsY/8KCHAwCoDw+DNgBgcDAAYEmAqmACKnsLdN\
        ksN53URFsA8wIEABg9dLhyDIA7ic15kkSfgXSM5LIn7tm4VeKORXZoMkIahloourXc4jeSRJkiRJvlB/ncd5uV3vhUqpVqyW6w0d\
        LT1NXW19jZ2tvc3d7f0DJoyYMWTKmDmDJo2aNayW6wWLyWa0mu2Gy+n28Onj5y+wAcGAUDAcEAnFgtFwPCARyYRSsVwwGc2G2269\
        /RbckGhEKplOqJRqxWq5XrCYbEar2W64nG7Hb7/+/gACBAYICgwOEBIUFhgaHB4gIiQmKCosLjAyNDY4Ojw+QEJERkhKTE5QUlRW\
        WFpcXmBiZGZoamxucHJ0dnh6fH6AgoSGiIqMjpCSlJaYmpyeoKKkpqiqrK6wsrS2uLq8vsDCxMbIyszO0NLU1tja3N7g4uTm6Ors\
        7vDy9Pb4+vz+/37+/gAAAQDA/OAm82Ht3W3Nu/37PV8CCAgQAJgASxiLFcIRqhMFsKf+AcT8qZ9AVgGo/zeT/3ELfLImf9f/lCEL\
        7w8=
        """

    /// As ``plain``, with the alpha 0, 128, 128 and 64 in the second row, where the inks are none, cyan, half the
    /// black, and all the black.
    private static let transparent = """
        AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAAA7anhsY/8KCHBQSAFICCAAAQCQAEs4aRjK2/sVJCSc\
        oHoB/3oAMX/qBwD1558/5I/6z/s/f+vD/g==
        """
    /// That, and a second frame of 2 × 1 pixels in the middle of the second row: cyan and half the black, opaque;
    /// yellow, of alpha 128.
    private static let animated = """
        AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAABDanhscAAAAAD/CghwQRMAKKQATAggAAkAAJAASzhp\
        GMrb+xUkJJygegH/egAxf+oHAPXnnz/kj/rP+z9/68P+AAAAL2p4bHCAAAABCCAigAACBBCRAgEAVABLGIsVwlEnoD6AyL/0678Z\
        /usDmB8=
        """

    private func decode(_ text: String, _ options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        let data = try #require(Data(base64Encoded: text))
        return try JPEGXLDecoder().decode(data, options: options, isCancelled: { false })
    }

    @Test("without a profile, and as stored, black takes its share of each colour")
    func plainFormula() throws {
        for (text, handling) in [(Self.plain, ColorHandling.sRGB), (Self.plain, .asStored), (Self.profiled, .asStored)]
        {
            let image = try decode(text, DecodeOptions(color: handling, keepsSixteenBits: true))
            #expect(image.info.colorSpace == .cmyk)
            #expect(image.colorProfile == nil)
            let bitmap = image.bitmap
            #expect(bitmap.isOpaque)
            #expect(
                (0..<4).map { bitmap[$0, 0] } == [
                    [255, 255, 255, 255], [0, 255, 255, 255], [128, 128, 128, 255], [128, 0, 0, 255],
                ]
            )
            #expect(bitmap[3, 1] == [0, 0, 0, 255])
        }
    }

    @Test("inks become sRGB by their profile")
    func profile() throws {
        let bitmap = try decode(Self.profiled).bitmap
        // L* 100, 80 and 0.
        for (x, y, value) in [(0, 0, 255), (1, 0, 198), (1, 1, 198), (3, 1, 0)] {
            #expect(bitmap[x, y].dropLast().allSatisfy { abs(Int($0) - value) <= 2 }, "\(bitmap[x, y])")
            #expect(bitmap[x, y][3] == 255)
        }
    }

    @Test("a conversion is asked to end for each 262,144 pixels")
    func cancelling() throws {
        for height in [256, 512, 1_024] {
            let size = PixelSize(1_024, height)
            let inks = try JPEGXLInks(size, profile: nil)
            let pixels = UnsafeMutableRawBufferPointer.allocate(byteCount: size.area * 4, alignment: 64)
            pixels.initializeMemory(as: UInt8.self, repeating: 0)
            defer { pixels.deallocate() }
            let questions = QuestionCounter(cancelledFrom: .max)
            try inks.convert(pixels, bytesPerRow: 4_096, isCancelled: questions.ask)
            #expect(questions.count == height / 256)
            #expect(throws: CancellationError.self) { try inks.convert(pixels, bytesPerRow: 4_096) { true } }
        }
    }

    private func row(_ y: Int, of bitmap: Bitmap) -> [[UInt8]] { (0..<4).map { bitmap[$0, y] } }

    private let firstRow: [[UInt8]] = [
        [255, 255, 255, 255], [0, 255, 255, 255], [128, 128, 128, 255], [128, 0, 0, 255],
    ]
    private let secondRow: [[UInt8]] = [[0, 0, 0, 0], [0, 128, 128, 128], [64, 64, 64, 128], [0, 0, 0, 64]]

    @Test("inks beside alpha become premultiplied RGB, black first")
    func alpha() throws {
        let image = try decode(Self.transparent)
        #expect(image.info.colorSpace == .cmyk && image.info.hasAlpha)
        #expect(!image.bitmap.isOpaque)
        #expect(row(0, of: image.bitmap) == firstRow)
        #expect(row(1, of: image.bitmap) == secondRow)
    }

    @Test("frames in inks are composed with their black and their alpha, in any order")
    func animation() throws {
        let data = try #require(Data(base64Encoded: Self.animated))
        let reader = try FrameReader(data, decoder: JPEGXLDecoder())
        #expect(reader.frameCount == 2 && reader.info.colorSpace == .cmyk)
        #expect(reader.info.frameDurations == [100, 200])
        for index in [0, 1, 1, 0, 1] {
            let bitmap = try reader.frame(at: index).bitmap
            let last = index == 0 ? secondRow : [secondRow[0], [0, 128, 128, 255], [128, 128, 0, 128], secondRow[3]]
            #expect(row(0, of: bitmap) == firstRow)
            #expect(row(1, of: bitmap) == last, "frame \(index)")
        }
    }

    @Test("black counts against the limit of memory")
    func limits() throws {
        // A row of 64 bytes each, and five planes of four bytes a sample.
        let limits = DecodeLimits(memory: 2 * 64 + 8 * 4 * 5)
        #expect(try decode(Self.plain, DecodeOptions(limits: limits)).bitmap.size == PixelSize(4, 2))
        #expect(throws: CodecError.self) {
            try decode(Self.plain, DecodeOptions(limits: DecodeLimits(memory: limits.memory - 1)))
        }
    }
}
