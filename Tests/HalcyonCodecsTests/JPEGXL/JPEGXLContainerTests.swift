import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonJPEGXL

@Suite("JPEG XL containers")
struct JPEGXLContainerTests {
    private static let signature = box("JXL ", [0x0D, 0x0A, 0x87, 0x0A])
    private static let type = Array("jxl \0\0\0\0jxl ".utf8)

    private static func bytes(_ number: Int, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
    }

    private static func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        bytes(payload.count + 8, count: 4) + Array(type.utf8) + payload
    }

    /// A box whose size has 64 bits.
    private static func longBox(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        bytes(1, count: 4) + Array(type.utf8) + bytes(payload.count + 16, count: 8) + payload
    }

    private func image() throws -> (bitmap: Bitmap, codeStream: [UInt8]) {
        let bitmap = try Bitmap.sample(PixelSize(30, 20))
        return (bitmap, try Array(JPEGXLEncoder().encode(bitmap, options: EncodeOptions(quality: nil))))
    }

    private func expect(_ file: [UInt8], shows bitmap: Bitmap) throws {
        // A slice, so that offsets do not begin at 0.
        let data = Data([1, 2, 3] + file).dropFirst(3)
        let image = try JPEGXLDecoder().decode(data, options: DecodeOptions(), isCancelled: { false })
        #expect(image.bitmap.greatestDifference(from: bitmap) == 0)
        #expect(try JPEGXLDecoder().info(of: data, limits: .standard).size == bitmap.size)
    }

    @Test("boxes may have sizes of 64 bits")
    func longSizes() throws {
        let (bitmap, stream) = try image()
        let type = Self.longBox("ftyp", Self.type)
        let exif = Self.longBox("Exif", [0, 0, 0, 0] + Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0])
        try expect(Self.signature + type + Self.longBox("jxlc", stream), shows: bitmap)
        try expect(Self.signature + type + exif + Self.longBox("jxlc", stream), shows: bitmap)
        try expect(Self.signature + type + Self.longBox("jxlc", stream) + exif, shows: bitmap)
        let metadata = try JPEGXLDecoder().metadata(
            of: Data(Self.signature + type + exif + Self.longBox("jxlc", stream))
        )
        #expect(metadata.exif?.count == 10)
    }

    @Test("the parts of an image may have other boxes between them", arguments: [false, true])
    func parts(isLong: Bool) throws {
        let (bitmap, stream) = try image()
        let box = isLong ? Self.longBox : Self.box
        let half = stream.count / 2
        let file =
            Self.signature + Self.box("ftyp", Self.type) + box("jxlp", [0, 0, 0, 0] + stream[..<half])
            + box("xml ", Array("<x/>".utf8)) + box("jxlp", [0x80, 0, 0, 1] + stream[half...])
            + box("free", [1, 2, 3])
        try expect(file, shows: bitmap)
    }

    @Test("a container without an image is truncated, one with nonsense before it corrupt")
    func damage() throws {
        let start = Self.signature + Self.longBox("ftyp", Self.type)
        for file in [start, start + [0, 0], start + Self.box("jxlp", [0, 0, 0, 0])] {
            #expect(throws: CodecError.truncated(.jxl)) {
                try JPEGXLDecoder().info(of: Data(file), limits: .standard)
            }
        }
        let reason = "a box at byte \(start.count)"
        #expect(throws: CodecError.corrupt(.jxl, reason: reason)) {
            try JPEGXLDecoder().info(of: Data(start + [0, 0, 0, 3, 1, 2, 3, 4, 5, 6]), limits: .standard)
        }
    }
}
