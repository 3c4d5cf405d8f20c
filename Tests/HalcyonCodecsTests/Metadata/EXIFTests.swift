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

    @Test("a block to embed beside upright pixels says 1 and is otherwise the same", arguments: [false, true])
    func upright(isLittleEndian: Bool) throws {
        var block = EXIFBlock(orientation: 6, isLittleEndian: isLittleEndian)
        block.nextDirectory = EXIFBlock(orientation: 8, isLittleEndian: isLittleEndian)
        var expected = EXIFBlock(orientation: 1, isLittleEndian: isLittleEndian)
        expected.nextDirectory = block.nextDirectory
        #expect(EXIF.upright(block.data) == expected.data)
        #expect(EXIF.upright(Data("Exif\0\0".utf8) + block.data) == expected.data)
        block.type = 4
        #expect(EXIF.orientation(in: EXIF.upright(block.data)) == .up)
        block.type = 2
        block.count = 9
        #expect(EXIF.orientation(in: EXIF.upright(block.data)) == .up)
    }

    @Test("blocks without an orientation, and damaged ones, are embedded as they are")
    func uprightWithoutOrientation() {
        var other = EXIFBlock(orientation: 6)
        other.tag = 271
        #expect(EXIF.upright(other.data) == other.data)
        let block = EXIFBlock(orientation: 6).data
        for length in 0..<block.count - 6 {
            #expect(EXIF.upright(block.prefix(length)) == block.prefix(length), "cut at \(length)")
        }
    }
}
