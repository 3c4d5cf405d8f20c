public import HalcyonStore

/// The rule for how long an image from a server is used without asking again.
public enum FreshnessPolicy: Sendable, Hashable {
    /// The server: `Cache-Control`, `Expires`, `Vary` (RFC 9111). Where it says nothing, 7 days; no more than those
    /// where redirects led to the image. What it forbids to store is kept neither on disk nor in memory.
    case server
    /// This time from when the image came, or was validated last, whatever the server says about its lifetime.
    case expiration(Expiration)
    /// Nobody: the image is used for as long as a cache has it (7 days on disk, extended on access).
    case ignoringServer
}
