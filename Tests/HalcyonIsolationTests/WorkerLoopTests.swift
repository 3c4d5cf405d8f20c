import CIsolation
import Glibc
import Testing

@testable import HalcyonIsolation
@testable import IsolationTrial

@Suite("The loop of a worker")
struct WorkerLoopTests {
    @Test("answers what makes no sense, or ends, and never crashes", arguments: 1...4)
    func nonsense(seed: Int) throws {
        let path = try Trial.path()
        let zygote = ZygoteConnection(program: { path })
        let buffer = try SharedBuffer(byteCount: 5_000)
        var numbers = Numbers(seed: seed)
        var answerCount = 0
        for _ in 0..<10 {
            let worker = try zygote.fork(Self.confinement)
            defer { close(worker.processDescriptor) }
            #expect(try answer(worker)?.kind == .hello)
            for _ in 0..<50 {
                var record = Record(.request, identifier: numbers.number(), payload: [1, 2, 3])
                // Now and then another kind, at which it ends.
                if numbers.next(30) == 0 { record.header.kind = UInt32(truncatingIfNeeded: numbers.number()) }
                let work = [TrialWork.count, .echo, .identify][Int(numbers.next(3))]
                record.header.code = Int32(work.rawValue)
                record.header.flags = UInt32(numbers.next(64))
                record.header.byte_count = numbers.number()
                record.header.width = UInt32(truncatingIfNeeded: numbers.number())
                // Now and then fewer than the flags name, at which it ends, too.
                let count = numbers.next(30) == 0 ? Int(numbers.next(2)) : 2
                let descriptors = [Int32](repeating: buffer.descriptor, count: count)
                guard worker.socket.send(record, descriptors: descriptors), let answer = try answer(worker) else {
                    break
                }
                #expect([.response, .failure].contains(answer.kind))
                #expect(answer.header.identifier == record.header.identifier)
                answerCount += 1
            }
            shutdown(worker.socket.descriptor, Int32(SHUT_RDWR))
            #expect(waitForEnd(worker.processDescriptor))
            #expect(zygote.end(of: worker.identifier)?.code == Int32(CLD_EXITED))
        }
        #expect(answerCount > 20)
    }

    private static let confinement = ZygoteConnection.Confinement(
        kind: .stills,
        steps: .all,
        isStrict: true,
        memory: 1 << 30,
        processorSeconds: 60
    )

    /// The next record of a worker; `nil` once it has ended.
    private func answer(_ worker: ZygoteConnection.Worker) throws -> Record? {
        switch worker.socket.receive(waits: true) {
        case .record(let record, _): return record
        case .end: return nil
        case .nothing, .nonsense:
            Issue.record("no record")
            return nil
        }
    }

    private func waitForEnd(_ process: Int32) -> Bool {
        var event = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
        return poll(&event, 1, 60_000) == 1
    }
}
