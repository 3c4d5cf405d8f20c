public import FoundationEssentials
public import HalcyonHTTP

/// Changes a body once it is complete, before anything else looks at it: decrypts or unpacks it.
///
/// What it gives is also what caches keep, if it names a ``cacheIdentity``; what a modifier of the options gives without one is
/// not cached. A downloader's modifier is taken to be the same for all.
public protocol DataModifying: Hashable, Sendable {
    /// The bytes to go on with. `nil` or an error fails the download with ``ImageError/Reason/dataRejected(_:)``.
    ///
    /// Called on a thread that may be kept busy, once for all who share the transfer.
    func modified(_ data: Data, of response: TransferResponse) throws -> Data?

    /// Names what it does to bytes, parameters and version included, such as "watermark-2"; `nil` for no name.
    ///
    /// Images are found again in caches by loads whose modifiers name the same, and never by those without a modifier.
    /// Without a name the caches are neither asked nor filled. The name stands in the disk cache as it is. Asked with each
    /// load. Default: `nil`.
    var cacheIdentity: String? { get }
}

extension DataModifying {
    /// None.
    public var cacheIdentity: String? { nil }
}

/// A closure that modifies bodies. It is equal to its copies only, so keep one where equal requests are to share work.
public struct DataModifier: DataModifying {
    private let closure: IdentifiedClosure<@Sendable (Data, TransferResponse) throws -> Data?>

    /// See ``DataModifying/cacheIdentity``.
    public let cacheIdentity: String?

    /// Modifies bodies by a closure; see ``DataModifying/modified(_:of:)``.
    ///
    /// - Parameters:
    ///   - cacheIdentity: What the closure does, for caches. Default: `nil`, nothing is cached.
    ///   - closure: Gets a body, and returns the bytes to go on with.
    public init(
        cacheIdentity: String? = nil,
        _ closure: @escaping @Sendable (Data, TransferResponse) throws -> Data?
    ) {
        self.cacheIdentity = cacheIdentity
        self.closure = IdentifiedClosure(closure)
    }

    /// What the closure answers.
    public func modified(_ data: Data, of response: TransferResponse) throws -> Data? {
        try closure.function(data, response)
    }
}
