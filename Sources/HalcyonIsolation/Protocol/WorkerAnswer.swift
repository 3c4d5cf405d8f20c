internal import HalcyonCodecs

/// A record that a worker sent, checked against what it was asked: nothing of it is believed.
enum WorkerAnswer: Equatable {
    /// The work is done; the pixels are in the buffer.
    case result(WorkerResult)
    /// The service's own error.
    case failure([UInt8])
    case cancelled
    /// The pixels take more than the buffer has.
    case needsBuffer(byteCount: Int)
    /// The worker is at its end, because it made a system call that is refused.
    case trapped(number: Int32)

    /// - Throws: `NonsensicalAnswer`.
    init(_ record: Record, to request: WorkerRequest, identifier: UInt64, bufferByteCount: Int)
        throws(NonsensicalAnswer)
    {
        let header = record.header
        if record.kind == .trapped {
            self = .trapped(number: header.code)
            return
        }
        guard header.identifier == identifier else { throw NonsensicalAnswer("it is for another request") }
        switch record.kind {
        case .failure: self = .failure(record.payload)
        case .cancelled: self = .cancelled
        case .needsBuffer:
            guard let byteCount = Int(exactly: header.byte_count), byteCount > bufferByteCount else {
                throw NonsensicalAnswer("it asks for a buffer of \(header.byte_count) bytes")
            }
            self = .needsBuffer(byteCount: byteCount)
        case .response:
            self = .result(try Self.result(record, to: request, bufferByteCount: bufferByteCount))
        default: throw NonsensicalAnswer("it is a record of kind \(header.kind)")
        }
    }

    /// The bytes of metadata, of durations and of a profile.
    static let largestDescription = 64 << 20

    private static func result(
        _ record: Record,
        to request: WorkerRequest,
        bufferByteCount: Int
    ) throws(NonsensicalAnswer) -> WorkerResult {
        // Numbers of 32 bits each, so that a product of two fits into one of 64.
        let width = Int(record.header.width)
        let height = Int(record.header.height)
        let bytesPerRow = Int(record.header.bytes_per_row)
        let bytesPerPixel = Int(record.header.bytes_per_pixel)
        guard (width == 0) == (height == 0) else { throw NonsensicalAnswer("it is \(width)×\(height) pixels") }
        if width > 0 {
            guard bytesPerPixel == 4 || bytesPerPixel == 8, bytesPerRow >= width * bytesPerPixel else {
                throw NonsensicalAnswer("rows of \(width) pixels of \(bytesPerPixel) bytes take \(bytesPerRow)")
            }
        }
        let (byteCount, overflows) = bytesPerRow.multipliedReportingOverflow(by: height)
        guard !overflows, byteCount <= bufferByteCount, byteCount <= request.largestByteCount,
            record.header.byte_count == UInt64(byteCount)
        else {
            throw NonsensicalAnswer("\(height) rows of \(bytesPerRow) bytes do not fit into \(bufferByteCount)")
        }
        guard let descriptionByteCount = Int(exactly: record.header.capacity),
            descriptionByteCount <= bufferByteCount - byteCount, descriptionByteCount <= Self.largestDescription
        else {
            throw NonsensicalAnswer("\(record.header.capacity) bytes of description are not there")
        }
        return WorkerResult(
            width: width,
            height: height,
            bytesPerRow: bytesPerRow,
            bytesPerPixel: bytesPerPixel,
            descriptionByteCount: descriptionByteCount,
            payload: record.payload
        )
    }
}

/// An answer that is none.
struct NonsensicalAnswer: Error, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
