package import HalcyonCodecs

/// The isolation of the images of one scope.
package final class WorkerIsolation: DecoderIsolation {
    /// Receives the format of an image that is decoded in the program although it should not be, and the reason.
    package typealias Report = @Sendable (ImageFormat, IsolationError) -> Void

    let policy: DecodeIsolation
    let scope: String
    let file: String?
    let pool: WorkerPool
    private let report: Report?

    /// - Parameters:
    ///   - scope: Whose images they are: a worker serves one scope.
    ///   - file: The name of the file, for errors. Default: `nil`.
    ///   - pool: Default: that of the process.
    ///   - report: Called each time that an image is decoded in the program for want of a worker. Default: nobody is told.
    package init(
        _ policy: DecodeIsolation,
        scope: String = "",
        file: String? = nil,
        pool: WorkerPool = .shared,
        report: Report? = nil
    ) {
        self.policy = policy
        self.scope = scope
        self.file = file
        self.pool = pool
        self.report = report
    }

    package func isolated(_ decoder: any ImageDecoder) -> any ImageDecoder {
        let confinement = DecoderConfinement.of(decoder)
        let isConfined =
            switch policy {
            case .none: confinement.kind == .drawings
            case .preferred: confinement.usesLibrary && decoder is any ConfinableDecoder
            case .required: true
            }
        return isConfined ? ConfinedDecoder(decoder, confinement, self) : decoder
    }

    /// Returns the isolation of the same images by the stricter of two policies.
    func combined(with other: WorkerIsolation?) -> WorkerIsolation {
        guard let other else { return self }
        let policy: DecodeIsolation
        switch (self.policy, other.policy) {
        case (.required(let set), .required(let otherSet)): policy = .required(set.union(otherSet))
        case (.required, _), (_, .none): return self
        case (_, .required), (.none, _), (.preferred, .preferred): policy = other.policy
        }
        return WorkerIsolation(policy, scope: scope, file: file ?? other.file, pool: other.pool, report: report)
    }

    /// The protection without which nothing is decoded.
    var required: IsolationSet {
        if case .required(let set) = policy { set } else { [] }
    }

    package var convertsColors: Bool { isRequired }

    var isRequired: Bool { if case .required = policy { true } else { false } }

    /// Reports that an image is decoded in the program, unless it may not be.
    ///
    /// - Throws: ``CodecError/isolation(_:)`` if it may not. Once a worker has started, nothing that happens to one is a
    ///   reason to decode in the program.
    func decodeInProgram(_ format: ImageFormat, because error: IsolationError) throws(CodecError) {
        let isUnavailable =
            switch error {
            case .unavailable, .cannotShare, .crashing: !pool.hasStarted
            // The process that forks workers says so, which never sees a file.
            case .noDecoder: true
            default: false
            }
        guard isUnavailable, !isRequired else { throw .isolation(error) }
        report?(format, error)
    }
}
