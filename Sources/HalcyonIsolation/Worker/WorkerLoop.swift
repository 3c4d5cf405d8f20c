internal import CIsolation
internal import Glibc

/// The loop of a worker: receives a request, does the work, answers, until the program closes the socket.
final class WorkerLoop {
    /// The status with which a worker ends that is sent what makes no sense.
    private static let protocolError: Int32 = 76

    private let socket: RecordSocket
    private let cancellation: CancellationByte
    private let service: any WorkerService
    private let kept = WorkerTask.KeptValue()
    private var inputBuffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var outputBuffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// Output whose place a larger one has taken, but which may hold the pixels of the work that is under way.
    private var formerOutputs: [UnsafeMutableRawBufferPointer] = []

    init(socket: RecordSocket, cancellation: CancellationByte, service: any WorkerService) {
        self.socket = socket
        self.cancellation = cancellation
        self.service = service
    }

    func run() -> Never {
        while case .record(let record, let descriptors) = socket.receive(waits: true, descriptorCapacity: 2) {
            guard record.kind == .request, socket.send(answer(to: record, descriptors)) else {
                _exit(Self.protocolError)
            }
        }
        _exit(0)
    }

    private func answer(to record: Record, _ descriptors: [Int32]) -> Record {
        let id = record.header.identifier
        var file: UnsafeMutableRawBufferPointer?
        defer { file.map { Self.unmap($0) } }
        // Without memory that the program takes for shared, this and the next images would be other ones.
        let hasInput = !record.parts.isDisjoint(with: [.inputFile, .newInputBuffer])
        let sharedCount = (hasInput ? 1 : 0) + (record.parts.contains(.newOutputBuffer) ? 1 : 0)
        guard descriptors.count >= sharedCount else { _exit(Self.protocolError) }
        var maps = descriptors[...]
        if hasInput {
            let map = maps.popFirst().flatMap { Self.map($0, isWritable: false) }
            if record.parts.contains(.inputFile) {
                file = map ?? UnsafeMutableRawBufferPointer(start: nil, count: 0)
            } else {
                Self.unmap(inputBuffer)
                inputBuffer = map ?? UnsafeMutableRawBufferPointer(start: nil, count: 0)
            }
        }
        if record.parts.contains(.newOutputBuffer) {
            useOutput(maps.popFirst())
        }
        // Never more than there is: reading beyond the end of a file is SIGBUS.
        let whole = UnsafeRawBufferPointer(file ?? inputBuffer)
        let input = UnsafeRawBufferPointer(rebasing: whole.prefix(Int(clamping: record.header.byte_count)))
        let task = WorkerTask(
            record,
            input: input,
            cancellation: cancellation,
            kept: kept,
            lentOutput: outputBuffer
        ) { [self] byteCount in
            try output(byteCount: byteCount, for: id)
        }
        defer {
            formerOutputs.forEach(Self.unmap)
            formerOutputs = []
        }
        do {
            let result = try service.perform(task)
            var answer = Record(.response, identifier: id, payload: result.payload)
            answer.header.width = UInt32(clamping: result.width)
            answer.header.height = UInt32(clamping: result.height)
            answer.header.bytes_per_row = UInt32(clamping: result.bytesPerRow)
            answer.header.bytes_per_pixel = UInt32(clamping: result.bytesPerPixel)
            answer.header.capacity = UInt64(clamping: result.descriptionByteCount)
            answer.header.byte_count = UInt64(
                clamping: result.bytesPerRow.multipliedReportingOverflow(by: result.height).0
            )
            return answer
        } catch let error as WorkerFailure {
            return Record(.failure, identifier: id, payload: error.payload)
        } catch is CancellationError {
            return Record(.cancelled, identifier: id)
        } catch {
            return Record(.failure, identifier: id, payload: Array("\(error)".utf8.prefix(1_000)))
        }
    }

    // MARK: Buffers

    private func output(byteCount: Int, for id: UInt64) throws -> UnsafeMutableRawBufferPointer {
        guard byteCount > 0 else { throw WorkerOutputRefusal(byteCount: byteCount) }
        if byteCount > outputBuffer.count {
            var question = Record(.needsBuffer, identifier: id)
            question.header.byte_count = UInt64(byteCount)
            guard socket.send(question),
                case .record(let answer, let descriptors) = socket.receive(waits: true, descriptorCapacity: 1),
                answer.kind == .buffer
            else { _exit(Self.protocolError) }
            guard answer.header.code == 0 else { throw WorkerOutputRefusal(byteCount: byteCount) }
            useOutput(descriptors.first)
            guard byteCount <= outputBuffer.count else { throw WorkerOutputRefusal(byteCount: byteCount) }
        }
        return UnsafeMutableRawBufferPointer(rebasing: outputBuffer[..<byteCount])
    }

    private func useOutput(_ descriptor: Int32?) {
        formerOutputs.append(outputBuffer)
        let map = descriptor.flatMap { Self.map($0, isWritable: true) }
        outputBuffer = map ?? UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    /// Maps a whole file, which is closed; `nil` if it is empty or cannot be mapped.
    private static func map(_ descriptor: Int32, isWritable: Bool) -> UnsafeMutableRawBufferPointer? {
        defer { close(descriptor) }
        let byteCount = Int(halcyon_file_size(descriptor))
        guard byteCount > 0, let start = halcyon_map(descriptor, byteCount, isWritable) else { return nil }
        return UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    }

    private static func unmap(_ map: UnsafeMutableRawBufferPointer) {
        if let start = map.baseAddress { munmap(start, map.count) }
    }
}
