internal import CIsolation

/// One request, as the service in a worker sees it.
package final class WorkerTask {
    /// The number of the work, on which service and program agree.
    package let operation: Int
    /// The options, on which service and program agree.
    package let parameters: [UInt8]
    /// The file. Valid until the work is done.
    package let input: UnsafeRawBufferPointer
    /// The program's flag, asked between rows.
    package let cancellation: CancellationByte
    /// What the work before has left in the worker, for the work of the same session.
    package let kept: KeptValue
    /// The memory that the program shares now, with the pixels of an earlier image. Those of this one may be decoded into it at
    /// once where they fit.
    package let lentOutput: UnsafeMutableRawBufferPointer
    private let buffer: (Int) throws -> UnsafeMutableRawBufferPointer

    init(
        _ record: Record,
        input: UnsafeRawBufferPointer,
        cancellation: CancellationByte,
        kept: KeptValue,
        lentOutput: UnsafeMutableRawBufferPointer,
        buffer: @escaping (Int) throws -> UnsafeMutableRawBufferPointer
    ) {
        operation = Int(record.header.code)
        parameters = record.payload
        self.input = input
        self.cancellation = cancellation
        self.kept = kept
        self.lentOutput = lentOutput
        self.buffer = buffer
    }

    /// A value that stays in a worker from one piece of work to the next.
    package final class KeptValue {
        package var value: AnyObject?

        init() {}
    }

    /// Returns the memory for the pixels, which the program shares: asked for once, as soon as the size is known. Its former
    /// content is that of earlier images. ``lentOutput`` stays in place until the work is done.
    ///
    /// - Throws: ``WorkerOutputRefusal`` if the program grants less.
    package func output(byteCount: Int) throws -> UnsafeMutableRawBufferPointer {
        try buffer(byteCount)
    }
}

/// The program does not take an image of that size.
package struct WorkerOutputRefusal: Error {
    package let byteCount: Int
}

/// A byte of memory that the program shares with a worker, which says whether the work is cancelled: no call, no message.
///
/// Unchecked: the byte lives as long as the worker, and both sides access it atomically.
package struct CancellationByte: @unchecked Sendable {
    private let byte: UnsafePointer<UInt8>

    init(_ byte: UnsafePointer<UInt8>) {
        self.byte = byte
    }

    package var isCancelled: Bool { halcyon_shared_load(byte) != 0 }
}
