import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("JPEG decoding")
struct JPEGDecoderTests {
    private let decoder = JPEGDecoder()

    private func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        try decoder.decode(data, options: options, isCancelled: { false })
    }

    @Test(
        "grey, colour, CMYK and YCCK become RGB",
        arguments: [
            ([148], nil, [148, 148, 148]),
            // Y, Cb, Cr: red 128 + 1.402 × 32.
            ([128, 128, 160], nil, [173, 105, 128]),
            // An Adobe segment without transform: stored as RGB.
            ([200, 100, 50], 0, [200, 100, 50]),
            // CMYK is inverted: shares of light. So it is without the Adobe segment.
            ([200, 100, 50, 255], 0, [200, 100, 50]),
            ([200, 100, 50, 255], nil, [200, 100, 50]),
            ([255, 255, 255, 128], nil, [128, 128, 128]),
            ([255, 255, 255, 128], 0, [128, 128, 128]),
            // YCCK: Y 128 without colour is CMY 127 of ink, inverted once more.
            ([127, 128, 128, 255], 2, [128, 128, 128]),
        ] as [([Int], UInt8?, [UInt8])]
    )
    func colorModels(_ samples: [Int], adobeTransform: UInt8?, expected: [UInt8]) throws {
        var file = JPEGBytes(samples: samples)
        file.segments = adobeTransform.map(JPEGBytes.adobe) ?? Data()
        let bitmap = try decode(file.data).bitmap
        #expect(bitmap.isOpaque)
        for (x, y) in [(0, 0), (15, 0), (7, 9), (15, 15)] {
            let pixel = bitmap[x, y]
            #expect(zip(pixel, expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(pixel) at \(x), \(y)")
            #expect(pixel[3] == 255)
        }
    }

    @Test("a progressive file decodes like a baseline one", arguments: [[148], [90, 140, 110]])
    func progressive(_ samples: [Int]) throws {
        let baseline = try decode(JPEGBytes(samples: samples).data)
        let progressive = try decode(JPEGBytes(samples: samples, process: 0xc2).data)
        #expect(progressive.bitmap.greatestDifference(from: baseline.bitmap) == 0)
        #expect(progressive.info == baseline.info)
    }

    @Test(
        "files that libjpeg cannot decode are unsupported, but described",
        arguments: [
            (0xc3, 8, 1, "lossless JPEG"), (0xc5, 8, 1, "hierarchical JPEG"), (0xc1, 12, 1, "12 bits a sample"),
            (0xc0, 8, 2, "2 components"),
        ] as [(UInt8, UInt8, Int, String)]
    )
    func unsupported(_ process: UInt8, precision: UInt8, componentCount: Int, reason: String) throws {
        var file = JPEGBytes(samples: Array(repeating: 148, count: componentCount), process: process)
        file.precision = precision
        #expect(throws: CodecError.unsupported(.jpeg, reason: reason)) { try decode(file.data) }
        let info = try decoder.info(of: file.data, limits: .standard)
        #expect(info.size == PixelSize(16, 16))
        #expect(info.bitDepth == Int(precision))
    }

    @Test("a depth that no JPEG has is damage, in the description too", arguments: [0, 1, 17, 136] as [UInt8])
    func precision(_ precision: UInt8) throws {
        var file = JPEGBytes()
        file.precision = precision
        let error = CodecError.corrupt(.jpeg, reason: "\(precision) bits a sample")
        #expect(throws: error) { try decoder.info(of: file.data, limits: .standard) }
        #expect(throws: error) { try decode(file.data) }
    }

    @Test("a file has one frame")
    func frames() throws {
        #expect(throws: CodecError.noSuchFrame(1, frameCount: 1)) {
            try decode(JPEGBytes().data, DecodeOptions(frame: 1))
        }
        #expect(throws: CodecError.empty) { try decode(Data()) }
    }

    @Test("cancelling ends decoding at the next group of rows", arguments: [0xc0, 0xc2] as [UInt8])
    func cancellation(_ process: UInt8) throws {
        let file = JPEGBytes(width: 64, height: 2_000, process: process).data
        let questions = QuestionCounter(cancelledFrom: 3)
        #expect(throws: CancellationError.self) {
            try decoder.decode(file, options: DecodeOptions(), isCancelled: { questions.ask() })
        }
        #expect(questions.count == 3)
        let unlimited = QuestionCounter(cancelledFrom: .max)
        _ = try decoder.decode(file, options: DecodeOptions(), isCancelled: { unlimited.ask() })
        #expect(unlimited.count >= 2_000 / 16)
    }

    @Test("bytes between segments and a missing end marker don't matter", arguments: [0xc0, 0xc2] as [UInt8])
    func tolerance(_ process: UInt8) throws {
        let whole = JPEGBytes(process: process)
        let expected = try decode(whole.data).bitmap
        #expect(try decode(whole.data.dropLast(2)).bitmap.greatestDifference(from: expected) == 0)
        #expect(try decode(whole.data + [1, 2, 3]).bitmap.greatestDifference(from: expected) == 0)
        var stray = whole
        stray.segments = JPEGBytes.segment(0xfe, Data("comment".utf8)) + [0, 0x42, 0xff, 0xff]
        // Fill bytes end in the next marker's own 0xff.
        #expect(try decode(stray.data).bitmap.greatestDifference(from: expected) == 0)
    }
}
