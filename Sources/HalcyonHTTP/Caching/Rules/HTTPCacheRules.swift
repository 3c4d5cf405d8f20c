package import FoundationEssentials

/// The choices that the standard leaves to a cache.
package struct HTTPCacheRules: Sendable, Hashable {
    /// The lifetime of a response that does not state one itself, if its status allows any such guess; `nil`: a tenth
    /// of the time since it was last modified, at most 7 days (RFC 9111, section 4.2.2). Default: `nil`.
    package var defaultLifetime: Duration?
    /// The rule that replaces all that a response says about how long it is fresh and whether it must be validated.
    /// Default: `nil`.
    package var lifetimeOverride: LifetimeOverride?

    /// A Boolean value that indicates whether responses are stored, and used for as long as they are, whatever their
    /// servers say. Default: `false`.
    package var ignoresServer = false
    /// A Boolean value that indicates whether the fields that responses vary by are not known from requests.
    /// Default: `false`.
    package var hasUnknownFields = false
    /// A Boolean value that indicates whether the cache answers many users, and so obeys `s-maxage`, `proxy-revalidate` and
    /// `private` (RFC 9111, section 1.1). Default: `false`.
    package var isShared = false

    /// The time for which responses are fresh, whatever their servers say.
    package enum LifetimeOverride: Sendable, Hashable {
        /// This many seconds from when they came, or were last validated.
        case seconds(Double)
        /// Until this date.
        case until(Date)
    }

    /// Creates rules with the defaults.
    package init() {}
}

extension Duration {
    /// The seconds with their fraction.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
