import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs

@Suite("EXIF orientation")
struct EXIFTests {
    @Test("each of the eight values is read in both byte orders", arguments: Orientation.allCases, [false, true])
    func everyOrientation(_ orientation: Orientation, isLittleEndian: Bool) {
        let block = EXIFBlock(orientation: UInt16(orientation.rawValue), isLittleEndian: isLittleEndian)
        #expect(EXIF.orientation(in: block.data) == orientation)
        #expect(EXIF.orientation(in: Data("Exif\0\0".utf8) + block.data) == orientation)
    }

    @Test("values that are no orientation are ignored", arguments: [0, 9, 255, 65_535] as [UInt16])
    func invalidValues(_ value: UInt16) {
        #expect(EXIF.orientation(in: EXIFBlock(orientation: value).data) == nil)
    }

    @Test("an orientation written as LONG is read, one of several values is not")
    func unusualTypes() {
        var block = EXIFBlock(orientation: 6)
        block.type = 4
        #expect(EXIF.orientation(in: block.data) == .right)
        block.count = 2
        #expect(EXIF.orientation(in: block.data) == nil)
        block.count = 1
        block.type = 2
        #expect(EXIF.orientation(in: block.data) == nil)
    }

    @Test("offsets and counts beyond the block end quietly")
    func hostileOffsets() {
        for offset: UInt32 in [0, 7, 100, 0x7fff_ffff, 0xffff_ffff] {
            var block = EXIFBlock(orientation: 6)
            block.directoryOffset = offset
            #expect(EXIF.orientation(in: block.data) == nil)
        }
        var block = EXIFBlock(orientation: 6)
        block.entryCount = 65_535
        #expect(EXIF.orientation(in: block.data) == .right)
        block.tag = 256
        #expect(EXIF.orientation(in: block.data) == nil)
    }

    @Test("a block cut at any byte is read or ignored, and a slice of other data reads the same")
    func cutBlocks() {
        let block = EXIFBlock(orientation: 8).data
        for length in 0..<block.count {
            let orientation = EXIF.orientation(in: block.prefix(length))
            #expect(orientation == nil || orientation == .left)
        }
        let embedded = (Data(repeating: 0x49, count: 11) + block).dropFirst(11)
        #expect(EXIF.orientation(in: embedded) == .left)
    }

    @Test("the orientation of the thumbnail's directory is not taken for that of the image")
    func secondDirectory() {
        var block = EXIFBlock(orientation: 6)
        block.tag = 256
        block.nextDirectory = EXIFBlock(orientation: 3)
        #expect(EXIF.orientation(in: block.data) == nil)
    }

    private func embedded(_ block: Data?, _ orientation: Orientation) -> Data? {
        EXIF.block(block, orientation: orientation, size: PixelSize(30, 20))
    }

    @Test("the size that a block states is that of the pixels, in either byte order", arguments: [false, true])
    func embeddedSize(isLittleEndian: Bool) throws {
        func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
            let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isLittleEndian ? bytes : bytes.reversed()
        }
        func short(_ tag: Int, _ value: Int) -> [UInt8] {
            number(tag, 2) + number(3, 2) + number(1, 4) + number(value, 2) + [0, 0]
        }
        func long(_ tag: Int, _ value: Int) -> [UInt8] {
            number(tag, 2) + number(4, 2) + number(1, 4) + number(value, 4)
        }
        func block(_ width: [UInt8], _ height: [UInt8], _ own: [UInt8]) -> Data {
            let head = Array((isLittleEndian ? "II" : "MM").utf8) + number(42, 2) + number(8, 4)
            let first = number(3, 2) + width + height + long(34_665, 50) + number(0, 4)
            return Data(head + first + number(3, 2) + own + number(0, 4))
        }
        let exposure = short(40_961, 1)
        let original = block(
            short(256, 4_000),
            long(257, 3_000),
            exposure + short(40_962, 4_000) + short(40_963, 3_000)
        )
        let expected = block(long(256, 30), long(257, 20), exposure + long(40_962, 30) + long(40_963, 20))
        #expect(firstDifference(embedded(original, .up) ?? Data(), expected) == nil)
    }

    @Test("a block to embed has the orientation of the pixels and is otherwise the same", arguments: [false, true])
    func embeddedOrientation(isLittleEndian: Bool) throws {
        var block = EXIFBlock(orientation: 6, isLittleEndian: isLittleEndian)
        block.nextDirectory = EXIFBlock(orientation: 8, isLittleEndian: isLittleEndian)
        for orientation in Orientation.allCases {
            var expected = EXIFBlock(orientation: UInt16(orientation.rawValue), isLittleEndian: isLittleEndian)
            expected.nextDirectory = block.nextDirectory
            #expect(embedded(block.data, orientation) == expected.data)
            #expect(embedded(Data("Exif\0\0".utf8) + block.data, orientation) == expected.data)
        }
        block.type = 4
        #expect(embedded(block.data, .left).flatMap(EXIF.orientation) == .left)
        block.type = 2
        block.count = 9
        #expect(embedded(block.data, .up).flatMap(EXIF.orientation) == .up)
    }

    @Test("beside upright pixels, blocks without an orientation, and damaged ones, are embedded as they are")
    func uprightWithoutOrientation() {
        var other = EXIFBlock(orientation: 6)
        other.tag = 271
        #expect(embedded(other.data, .up) == other.data)
        let block = EXIFBlock(orientation: 6).data
        for length in 0..<block.count - 6 {
            #expect(embedded(block.prefix(length), .up) == block.prefix(length), "cut at \(length)")
        }
        #expect(embedded(nil, .up) == nil)
    }

    @Test("beside other pixels, a block without an orientation gets one", arguments: [271, 306] as [UInt16])
    func addedOrientation(tag: UInt16) throws {
        for isLittleEndian in [false, true] {
            var block = EXIFBlock(orientation: 6, isLittleEndian: isLittleEndian)
            block.tag = tag
            let data = try #require(embedded(block.data, .right))
            #expect(EXIF.orientation(in: data) == .right)
            let reader = ByteReader(data, order: isLittleEndian ? .littleEndian : .bigEndian)
            let directory = try #require(reader.uint32(at: 4))
            #expect(reader.uint16(at: directory) == 2)
            #expect([2, 14].compactMap { reader.uint16(at: directory + $0) } == [Int(tag), 274].sorted())
        }
        for block in [nil, Data(), Data("II".utf8)] {
            #expect(embedded(block, .left).flatMap(EXIF.orientation) == .left)
        }
    }
}
