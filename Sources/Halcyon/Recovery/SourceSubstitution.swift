internal import HalcyonHTTP

/// Says that an image came from another source than the one that was asked for.
public final class SourceSubstitution: Sendable, Hashable {
    /// What was asked for.
    public let requested: Source
    /// What the image came from.
    public let used: Source
    /// What was tried before, in its order, and why it failed.
    public let failures: [SourceFailure]

    init(requested: Source, used: Source, failures: [SourceFailure]) {
        self.requested = requested
        self.used = used
        self.failures = failures
    }

    /// Whether both say the same.
    public static func == (left: SourceSubstitution, right: SourceSubstitution) -> Bool {
        left.requested == right.requested && left.used == right.used && left.failures == right.failures
    }

    /// Feeds what the substitution says.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(requested)
        hasher.combine(used)
        hasher.combine(failures)
    }
}

extension SourceSubstitution: CustomStringConvertible {
    /// What came in the place of what.
    public var description: String {
        "\(used.description.withoutPassword) in place of \(requested.description.withoutPassword)"
    }
}

/// A source and why it could not be loaded.
public struct SourceFailure: Sendable, Hashable {
    /// What was tried.
    public let source: Source
    /// Why it failed.
    public let error: ImageError

    /// The failure of a source.
    public init(source: Source, error: ImageError) {
        self.source = source
        self.error = error
    }
}
