public import HalcyonStore

/// The rule for the time that an image from a server is used without asking again.
public enum FreshnessPolicy: Sendable, Hashable {
    /// The time that the server states: `Cache-Control`, `Expires`, `Vary` (RFC 9111). Where it states none, 7 days; no
    /// more than those where redirects led to the image. An image that it forbids to store is kept neither on disk nor
    /// in memory.
    case server
    /// This time from the arrival of the image, or its last validation, whatever lifetime the server states.
    case expiration(Expiration)
    /// No limit: the image is used for as long as a cache has it (7 days on disk, extended on access).
    case ignoringServer
}
