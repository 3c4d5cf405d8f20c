package import HalcyonCodecs

/// The work that workers do: decoding. A value without state of its own, the same in each worker.
package protocol WorkerService: Sendable {
    /// The names of the work that it can do, such as those of decoders; empty, the default, if none is asked for. The program
    /// is told before a worker has seen any input.
    var names: [String] { get }

    /// Loads what the libraries of a kind load on first use, and returns the files and folders that its workers may read.
    /// Called in the process from which workers are forked, before anything is confined; threads that it starts must end.
    func prepare(for kind: WorkerKind) -> [String]

    /// Does one piece of work, and returns the description of the pixels that it wrote.
    ///
    /// - Throws: ``WorkerFailure`` for an error that the program is told in its own form, `CancellationError`, or any other
    ///   error, of which the program is told the text.
    func perform(_ task: WorkerTask) throws -> WorkerResult
}

extension WorkerService {
    package var names: [String] { [] }

    package func prepare(for kind: WorkerKind) -> [String] { [] }
}

/// An error of a format, in the form of bytes on which service and program agree.
package struct WorkerFailure: Error, Sendable, Hashable {
    /// At most 32 kB.
    package let payload: [UInt8]

    package init(payload: [UInt8]) {
        self.payload = payload
    }
}

/// The description of an image that a worker made.
package struct WorkerResult: Sendable, Hashable {
    package var width: Int
    package var height: Int
    package var bytesPerRow: Int
    package var bytesPerPixel: Int
    /// The bytes behind the pixels in which service and program describe the image.
    package var descriptionByteCount: Int
    /// Whatever else service and program agree on; at most 32 kB.
    package var payload: [UInt8]

    /// Default for all: an answer without pixels.
    package init(
        width: Int = 0,
        height: Int = 0,
        bytesPerRow: Int = 0,
        bytesPerPixel: Int = 0,
        descriptionByteCount: Int = 0,
        payload: [UInt8] = []
    ) {
        self.width = width
        self.height = height
        self.bytesPerRow = bytesPerRow
        self.bytesPerPixel = bytesPerPixel
        self.descriptionByteCount = descriptionByteCount
        self.payload = payload
    }
}
