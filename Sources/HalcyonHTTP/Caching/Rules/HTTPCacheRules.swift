package import FoundationEssentials

/// What the standard leaves to a cache.
public struct HTTPCacheRules: Sendable, Hashable {
    /// How long a response is fresh that does not say so itself, if its status allows any such guess; `nil`: a tenth of
    /// the time since it was last modified (RFC 9111, section 4.2.2). Default: `nil`.
    public var defaultLifetime: Duration?
    /// The longest time that is guessed from the last modification. Default: 7 days.
    public var heuristicLimit: Duration = .seconds(7 * 86_400)
    /// Whether a stale response is used when the server cannot be reached, unless the response or the request forbids it
    /// (RFC 9111, section 4.2.4). Default: `true`.
    public var servesStaleWhenDisconnected = true

    /// What counts instead of all that a response says about how long it is fresh and whether it must be validated.
    /// Default: `nil`.
    package var lifetimeOverride: LifetimeOverride?

    /// Whether responses are stored, and used for as long as they are, whatever their servers say. Default: `false`.
    package var ignoresServer = false
    /// Whether the fields that responses vary by are not known from requests. Default: `false`.
    package var hasUnknownFields = false
    /// Whether what is stored answers whole, whatever conditions and ranges a request has. Default: `false`.
    package var servesWhole = false

    /// How long responses are fresh, whatever their servers say.
    package enum LifetimeOverride: Sendable, Hashable {
        /// This many seconds from when they came, or were validated last.
        case seconds(Double)
        /// Until this date.
        case until(Date)
    }

    /// The defaults.
    public init() {}
}

extension Duration {
    /// Seconds with their fraction.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
