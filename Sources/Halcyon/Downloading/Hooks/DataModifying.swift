public import FoundationEssentials
public import HalcyonHTTP

/// A type that changes a body once it is complete, before anything else reads it: decrypts or unpacks it.
///
/// Caches keep its result too, if it names a ``cacheIdentity``; the result of a modifier of the options without one is
/// not cached, nor is that of a downloader that the options name. The modifier of a pipeline's downloader is taken to
/// be the same for all.
public protocol DataModifying: Hashable, Sendable {
    /// Returns the bytes to continue with. `nil` or an error fails the download with
    /// ``ImageError/Reason/dataRejected(_:)``.
    ///
    /// Called on a thread that may be kept busy, once for all callers that share the transfer.
    func modified(_ data: Data, of response: TransferResponse) throws -> Data?

    /// The name of its effect on bytes, parameters and version included, such as "watermark-2"; `nil` for no name.
    ///
    /// Images are found again in caches by loads whose modifiers have the same name, and never by those without a
    /// modifier. Without a name the caches are neither read nor written. The name stands in the disk cache as it is.
    /// Read with each load. Default: `nil`.
    var cacheIdentity: String? { get }
}

extension DataModifying {
    /// No name, the default.
    public var cacheIdentity: String? { nil }
}

/// A closure that modifies bodies. It is equal to its copies only, so keep one where equal requests are to share work.
public struct DataModifier: DataModifying {
    private let closure: IdentifiedClosure<@Sendable (Data, TransferResponse) throws -> Data?>

    /// The name of its effect; see ``DataModifying/cacheIdentity``.
    public let cacheIdentity: String?

    /// A modifier with a closure; see ``DataModifying/modified(_:of:)``.
    ///
    /// - Parameters:
    ///   - cacheIdentity: The name of the closure's effect, for caches. Default: `nil`, nothing is cached.
    ///   - closure: Gets a body, and returns the bytes to continue with.
    public init(
        cacheIdentity: String? = nil,
        _ closure: @escaping @Sendable (Data, TransferResponse) throws -> Data?
    ) {
        self.cacheIdentity = cacheIdentity
        self.closure = IdentifiedClosure(closure)
    }

    /// Returns the result of the closure.
    public func modified(_ data: Data, of response: TransferResponse) throws -> Data? {
        try closure.function(data, response)
    }
}
