import FoundationEssentials
import HalcyonStore
import Testing

@testable import HalcyonFleet

@Suite("An entry of the shared tier")
struct SharedEntryTests {
    private let entry = SharedEntry(
        version: TierVersion(-3, 7),
        position: RemovalPosition(time: 1_700_000_000_000, sequence: 4),
        log: 99,
        lifetime: .seconds(3_600),
        makingTime: .microseconds(1_234),
        digest: 0xFEDC_BA98_7654_3210,
        metadata: Data([1, 2, 3]),
        body: Data([4, 5, 6, 7])
    )

    @Test("is read as it was written, also as a part of other bytes")
    func roundTrip() throws {
        let bytes = entry.encoded
        #expect(bytes.count == SharedEntry.headByteCount + 7 && bytes.prefix(4).elementsEqual("HCY1".utf8))
        for data in [bytes, (Data([0]) + bytes).dropFirst()] {
            let read = try #require(SharedEntry(data))
            #expect(read.version == entry.version && read.position == entry.position && read.log == 99)
            #expect(read.lifetime == entry.lifetime && read.makingTime == entry.makingTime)
            #expect(read.digest == entry.digest && read.metadata == entry.metadata && read.body == entry.body)
        }
        var other = entry
        other.digest = nil
        #expect(try #require(SharedEntry(other.encoded)).digest == nil)
    }

    @Test("with any bit changed, or cut off anywhere, is none")
    func damage() {
        let bytes = entry.encoded
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << UInt8(bit)
                #expect(SharedEntry(damaged) == nil, "byte \(index), bit \(bit)")
            }
            #expect(SharedEntry(bytes[..<index]) == nil)
        }
        #expect(SharedEntry(bytes + Data([0])) == nil)
    }
}
