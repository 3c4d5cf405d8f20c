internal import HalcyonHTTP

/// The record that an image came from another source than the requested one.
public final class SourceSubstitution: Sendable, Hashable {
    /// The requested source.
    public let requested: Source
    /// The source that the image came from.
    public let used: Source
    /// The sources that were tried before, in their order, each with its error.
    public let failures: [SourceFailure]

    init(requested: Source, used: Source, failures: [SourceFailure]) {
        self.requested = requested
        self.used = used
        self.failures = failures
    }

    /// Returns whether both have the same sources and failures.
    public static func == (left: SourceSubstitution, right: SourceSubstitution) -> Bool {
        left.requested == right.requested && left.used == right.used && left.failures == right.failures
    }

    /// Hashes the sources and failures.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(requested)
        hasher.combine(used)
        hasher.combine(failures)
    }
}

extension SourceSubstitution: CustomStringConvertible {
    /// The source used and the source it replaced.
    public var description: String {
        "\(used.description.withoutPassword) in place of \(requested.description.withoutPassword)"
    }
}

/// A source that could not be loaded, and the error.
public struct SourceFailure: Sendable, Hashable {
    /// The source.
    public let source: Source
    /// The error of its load.
    public let error: ImageError

    /// The failure of a source.
    public init(source: Source, error: ImageError) {
        self.source = source
        self.error = error
    }
}
