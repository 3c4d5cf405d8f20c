package import HalcyonCodecs

/// One piece of work for a worker.
package struct WorkerRequest: Sendable {
    package var kind: WorkerKind
    /// The number of the work, on which service and program agree.
    package var operation: Int
    /// The options, on which service and program agree; at most 32 kB.
    package var parameters: [UInt8]
    /// The bytes that the pixels may take. Default: 1.5 GiB.
    package var largestByteCount: Int
    /// The bytes of private writable memory that the worker may have. Default: `nil`, as the pool says.
    package var memory: Int?
    /// The number of the ``WorkerSession``. Default: `nil`, the work stands alone.
    package var session: Int?
    /// The frame that is asked for, which alone is refused if it ends a worker. Default: `nil`, none.
    package var frame: Int?
    /// Whether the input goes to the worker of the session, too, which has that of the requests before. Default: `false`, it is
    /// the same input each time.
    package var sendsAll = false
    /// The name of the work (``WorkerService/names``), without which a worker is not asked. Default: `nil`, any does it.
    package var name: String?
    /// Reads the service's error. Default: a ``WorkerFailure``.
    ///
    /// - Throws: ``NonsensicalAnswer`` if it is none, which ends the worker.
    var failure: @Sendable (_ payload: [UInt8]) throws(NonsensicalAnswer) -> any Error = { WorkerFailure(payload: $0) }
    /// Whose images the worker may hold: one that has served another scope is not used. Default: empty.
    package var scope: String
    /// The protection without which nothing is decoded. Default: the process.
    package var required: IsolationSet
    /// The time for the work. Default: 60 s.
    package var timeLimit: Duration
    /// The processor time for the work, of all threads. Default: 60 s.
    package var processorTimeLimit: Duration
    /// The name of the format, for errors.
    package var format: String
    /// The name of the file, for errors.
    package var file: String?

    package init(
        kind: WorkerKind,
        operation: Int = 0,
        parameters: [UInt8] = [],
        largestByteCount: Int = 3 << 29,
        scope: String = "",
        required: IsolationSet = .process,
        timeLimit: Duration = .seconds(60),
        processorTimeLimit: Duration = .seconds(60),
        format: String,
        file: String? = nil
    ) {
        self.kind = kind
        self.operation = operation
        self.parameters = parameters
        self.largestByteCount = largestByteCount
        self.scope = scope
        self.required = required
        self.timeLimit = timeLimit
        self.processorTimeLimit = processorTimeLimit
        self.format = format
        self.file = file
    }
}

/// The encoded bytes for a worker.
package enum WorkerInput {
    /// Bytes in memory, which are copied to memory that the worker can read.
    case bytes(UnsafeRawBufferPointer)
    /// An open file, which the worker maps. One that is open for writing is an error. It stays open.
    case file(descriptor: Int32, byteCount: Int)

    var byteCount: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(_, let byteCount): byteCount
        }
    }
}

/// The answer of a worker, after all its numbers were checked.
package struct WorkerResponse {
    package let result: WorkerResult
    /// The pixels, `bytesPerRow * height` bytes in memory that the worker can still change: valid during the call, to be copied
    /// once, and not to be interpreted in place.
    package let pixels: UnsafeRawBufferPointer
    /// What the worker says of the image, a copy.
    package let description: [UInt8]
    /// The protection that the worker has.
    package let report: IsolationReport
}
