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
        let bytes = ArrivingBytes()
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
        let bytes = ArrivingBytes()
        let reader = Task { await bytes.bytes(from: 0) }
        reader.cancel()
        #expect(await reader.value == nil)
    }

    @Test("that are lent are not read once they are taken back")
    func lent() async {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
        memory.copyBytes(from: [7, 8, 9, 10])
        let bytes = ArrivingBytes()
        bytes.lend(UnsafeRawBufferPointer(rebasing: memory[..<2]))
        let early = await bytes.bytes(from: 0)
        bytes.lend(UnsafeRawBufferPointer(memory))
        let late = await bytes.bytes(from: 2)
        bytes.end()
        memory.copyBytes(from: [0, 0, 0, 0])
        memory.deallocate()
        #expect(early == Data([7, 8]) && late == Data([9, 10]))
        #expect(await bytes.bytes(from: 0) == nil)
    }
}
