import FoundationEssentials
import HalcyonRaster
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

    @Test("a block to embed has the orientation of the pixels and is otherwise the same", arguments: [false, true])
    func embedded(isLittleEndian: Bool) throws {
        var block = EXIFBlock(orientation: 6, isLittleEndian: isLittleEndian)
        block.nextDirectory = EXIFBlock(orientation: 8, isLittleEndian: isLittleEndian)
        for orientation in Orientation.allCases {
            var expected = EXIFBlock(orientation: UInt16(orientation.rawValue), isLittleEndian: isLittleEndian)
            expected.nextDirectory = block.nextDirectory
            #expect(EXIF.block(block.data, orientation: orientation) == expected.data)
            #expect(EXIF.block(Data("Exif\0\0".utf8) + block.data, orientation: orientation) == expected.data)
        }
        block.type = 4
        #expect(EXIF.block(block.data, orientation: .left).flatMap(EXIF.orientation) == .left)
        block.type = 2
        block.count = 9
        #expect(EXIF.block(block.data, orientation: .up).flatMap(EXIF.orientation) == .up)
    }

    @Test("beside upright pixels, blocks without an orientation, and damaged ones, are embedded as they are")
    func uprightWithoutOrientation() {
        var other = EXIFBlock(orientation: 6)
        other.tag = 271
        #expect(EXIF.block(other.data, orientation: .up) == other.data)
        let block = EXIFBlock(orientation: 6).data
        for length in 0..<block.count - 6 {
            #expect(EXIF.block(block.prefix(length), orientation: .up) == block.prefix(length), "cut at \(length)")
        }
        #expect(EXIF.block(nil, orientation: .up) == nil)
    }

    @Test("beside other pixels, a block without an orientation gets one", arguments: [271, 306] as [UInt16])
    func addedOrientation(tag: UInt16) throws {
        for isLittleEndian in [false, true] {
            var block = EXIFBlock(orientation: 6, isLittleEndian: isLittleEndian)
            block.tag = tag
            let data = try #require(EXIF.block(block.data, orientation: .right))
            #expect(EXIF.orientation(in: data) == .right)
            let reader = ByteReader(data, order: isLittleEndian ? .littleEndian : .bigEndian)
            let directory = try #require(reader.uint32(at: 4))
            #expect(reader.uint16(at: directory) == 2)
            #expect([2, 14].compactMap { reader.uint16(at: directory + $0) } == [Int(tag), 274].sorted())
        }
        for block in [nil, Data(), Data("II".utf8)] {
            #expect(EXIF.block(block, orientation: .left).flatMap(EXIF.orientation) == .left)
        }
    }
}
