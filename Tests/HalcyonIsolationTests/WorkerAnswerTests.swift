import CIsolation
import Glibc
import Testing

@testable import HalcyonIsolation

@Suite("An answer of a worker")
struct WorkerAnswerTests {
    private static let request = WorkerRequest(kind: .stills, largestByteCount: 1 << 20, format: "PNG")

    @Test("is either wholly within the buffer, or refused", arguments: 0..<20)
    func random(seed: Int) {
        var random = Numbers(seed: seed)
        for _ in 0..<5_000 {
            var record = Record(.response, identifier: random.next(2) == 0 ? 3 : random.number())
            record.header.kind = UInt32(truncatingIfNeeded: random.next(3) == 0 ? random.number() : 5)
            record.header.width = UInt32(truncatingIfNeeded: random.number())
            record.header.height = UInt32(truncatingIfNeeded: random.number())
            record.header.bytes_per_row = UInt32(truncatingIfNeeded: random.number())
            record.header.bytes_per_pixel = random.next(2) == 0 ? 4 : UInt32(truncatingIfNeeded: random.number())
            let product = UInt64(record.header.bytes_per_row) * UInt64(record.header.height)
            record.header.byte_count = random.next(2) == 0 ? product : random.number()
            let buffer = Int(random.next(1 << 20))
            guard
                let answer = try? WorkerAnswer(record, to: Self.request, identifier: 3, bufferByteCount: buffer)
            else { continue }
            switch answer {
            case .result(let result):
                #expect(result.bytesPerRow * result.height <= buffer)
                #expect(result.width * result.bytesPerPixel <= result.bytesPerRow || result.width == 0)
                #expect((result.width == 0) == (result.height == 0))
            case .needsBuffer(let byteCount): #expect(byteCount > buffer)
            case .failure, .cancelled, .trapped: break
            }
        }
    }

    @Test("without sense says why")
    func reasons() {
        var record = Record(.response, identifier: 3)
        record.header.width = 10
        record.header.height = 10
        record.header.bytes_per_row = 39
        record.header.bytes_per_pixel = 4
        record.header.byte_count = 390
        #expect(throws: NonsensicalAnswer("rows of 10 pixels of 4 bytes take 39")) {
            try WorkerAnswer(record, to: Self.request, identifier: 3, bufferByteCount: 4_096)
        }
        #expect(throws: NonsensicalAnswer("it is for another request")) {
            try WorkerAnswer(record, to: Self.request, identifier: 4, bufferByteCount: 4_096)
        }
    }

    @Test("bytes that are no record are told from records")
    func bytes() throws {
        let (one, other) = try RecordSocket.pair()
        var header = HalcyonRecord()
        header.magic = HALCYON_RECORD_MAGIC
        header.payload_count = 5
        // A header that promises more than there is, an empty one, and noise.
        for count in [64, 63, 1] {
            #expect(withUnsafeBytes(of: header) { write(one.descriptor, $0.baseAddress, count) } == count)
            guard case .nonsense = other.receive(waits: false) else {
                Issue.record("\(count) bytes were taken for a record")
                return
            }
        }
        #expect(one.send(Record(.failure, identifier: 8, payload: [1, 2])))
        guard case .record(let record, let descriptors) = other.receive(waits: false) else {
            Issue.record("a record was not received")
            return
        }
        #expect(record.header.identifier == 8)
        #expect(record.payload == [1, 2])
        #expect(descriptors == [])
        #expect(!one.send(Record(.failure, payload: [UInt8](repeating: 0, count: 40_000))))
    }
}
