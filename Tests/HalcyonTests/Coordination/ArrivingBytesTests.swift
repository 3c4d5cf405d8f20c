import FoundationEssentials
import HalcyonSystem
import Testing

@testable import Halcyon

@Suite("Bytes that arrive piece by piece")
struct ArrivingBytesTests {
    @Test("are those behind an offset, as soon as there are any")
    func offsets() async {
        let bytes = ArrivingBytes(capacity: 3)
        bytes.append(Data([1, 2, 3]))
        #expect(await bytes.bytes(from: 0) == Data([1, 2, 3]))
        #expect(await bytes.bytes(from: 2) == Data([3]))
        let next = Task { await bytes.bytes(from: 3) }
        bytes.append(Data())
        bytes.append(Data([4, 5]))
        #expect(await next.value == Data([4, 5]))
        #expect(await bytes.copy() == Data([1, 2, 3, 4, 5]))
    }

    @Test("are handed over at the end, once, and then there are none")
    func end() async {
        let bytes = ArrivingBytes(capacity: 0)
        bytes.append(Data([1, 2]))
        let next = Task { await bytes.bytes(from: 2) }
        #expect(bytes.end() == Data([1, 2]))
        #expect(await next.value == nil)
        #expect(bytes.end() == Data())
        #expect(await bytes.bytes(from: 0) == nil)
        #expect(await bytes.copy() == nil)
    }

    @Test("that were not taken before a reader is cancelled are not waited for")
    func cancelled() async {
        let bytes = ArrivingBytes(capacity: 0)
        let reader = Task { await bytes.bytes(from: 0) }
        reader.cancel()
        #expect(await reader.value == nil)
    }
}
