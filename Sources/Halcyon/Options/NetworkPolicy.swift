public import HalcyonHTTP

/// Whether and how the network is used.
public struct NetworkPolicy: Sendable, Hashable {
    /// Whether it may be used at all; if not, what no cache has fails with ``ImageError/Reason/notCached``.
    /// Default: `true`.
    public var isAllowed = true
    /// How long parts of the transfer may take; `nil`: as the source's request says (15 s until connected, 15 s
    /// without a byte, 5 minutes in all).
    public var timeouts: TransferTimeouts?
    /// How much a server may send; `nil`: as the source's request says (200 MiB, 10 redirects).
    public var limits: TransferLimits?

    /// The defaults.
    public init() {}
}
