import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("Boxes of the ISO base media format")
struct ISOMediaTests {
    private func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        [0, 0, UInt8((8 + payload.count) >> 8), UInt8((8 + payload.count) & 255)] + Array(type.utf8) + payload
    }

    @Test("sizes of 32 and 64 bits, to the end, beyond the end and too small")
    func sizes() {
        let wide: [UInt8] = [0, 0, 0, 1] + Array("wide".utf8) + [0, 0, 0, 0, 0, 0, 0, 17, 9]
        let open: [UInt8] = [0, 0, 0, 0] + Array("open".utf8) + [1, 2]
        let data = Data(box("free", [1]) + wide + open)
        let boxes = Array(ByteReader(data).boxes(in: 0..<data.count))
        #expect(boxes.map { $0.type } == ["free", "wide", "open"])
        #expect(boxes.map { $0.payload.count } == [1, 1, 2])
        #expect(boxes.map { $0.isOpenEnded } == [false, false, true])
        #expect(!boxes.contains { $0.isCutShort })

        let cut = Data(box("free", [1, 2, 3]).dropLast(2))
        #expect(ByteReader(cut).boxes(in: 0..<cut.count).map { $0.isCutShort } == [true])
        let small = Data([0, 0, 0, 7] + Array("free".utf8))
        #expect(Array(ByteReader(small).boxes(in: 0..<8)).isEmpty)
        let huge = Data([0, 0, 0, 1] + Array("wide".utf8) + [UInt8](repeating: 0xff, count: 8))
        #expect(Array(ByteReader(huge).boxes(in: 0..<16)).isEmpty)
    }

    /// One item for each length, of one extent with offsets and lengths of 4 bytes.
    private func locations(_ lengths: [UInt8]) -> [UInt8] {
        var payload: [UInt8] = [0, 0, 0, 0, 0x44, 0, 0, UInt8(lengths.count)]
        for (index, length) in lengths.enumerated() {
            payload += [0, UInt8(index), 0, 0, 0, 1, 0, 0, 0, 8, length, 0, 0, 0]
        }
        return payload
    }

    @Test("items that claim more than their file can have are told apart")
    func locations() {
        let data = Data([0, 0, 0, 0] + box("iloc", locations([0, 1, 0])))
        let reader = ByteReader(data)
        #expect(HEIFItemLocations.byteCounts(reader, meta: 0..<data.count).ofAll == 1 << 24)
        #expect(!HEIFItemLocations.areReasonable(reader, meta: 0..<data.count, isBeginning: false))
        #expect(HEIFItemLocations.areReasonable(reader, meta: 0..<data.count, isBeginning: true))
        // No sizes at all, and as many items and extents as can be said.
        let empty = Data(
            [0, 0, 0, 0] + box("iloc", [2, 0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 1, 0, 0, 0, 0, 255, 255])
        )
        #expect(HEIFItemLocations.byteCounts(ByteReader(empty), meta: 0..<empty.count).ofAll == 0)
        for length in 0..<data.count {
            let cut = Data(data.prefix(length))
            #expect(HEIFItemLocations.byteCounts(ByteReader(cut), meta: 0..<length).ofAll <= 1 << 24)
        }
    }

    @Test("an item that claims its file more than once is refused, several that share it are not")
    func sharedBytes() {
        // 4 items or extents of 4 MiB, in files of that size.
        let extent: [UInt8] = [0, 0, 0, 0, 0, 64, 0, 0]
        let items: [UInt8] = [0, 4] + (0..<4 as Range<UInt8>).flatMap { [0, $0, 0, 0, 0, 1] + extent }
        let extents: [UInt8] = [0, 1, 0, 1, 0, 0, 0, 4] + extent + extent + extent + extent
        for (isShared, payload) in [(true, items), (false, extents)] {
            let header: [UInt8] = [0, 0, 0, 0, 0x44, 0]
            var data = Data([0, 0, 0, 0] + box("iloc", header + payload))
            let meta = 0..<data.count
            data.append(Data(count: 4 << 20))
            let reader = ByteReader(data)
            #expect(HEIFItemLocations.byteCounts(reader, meta: meta).ofAll == 16 << 20)
            #expect(HEIFItemLocations.areReasonable(reader, meta: meta, isBeginning: false) == isShared)
        }
    }

    @Test("rotations and mirrorings compose to one of eight orientations")
    func orientation() {
        let all: [Orientation] = (0...3).flatMap { quarters in
            [nil, Orientation.Mirroring.topToBottom, .leftToRight].map {
                Orientation(quartersCounterClockwise: quarters, mirroring: $0)
            }
        }
        #expect(Set(all).count == 8)
        #expect(Orientation(quartersCounterClockwise: 3, mirroring: nil) == .right)
    }
}
