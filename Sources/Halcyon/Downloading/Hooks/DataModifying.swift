public import FoundationEssentials
public import HalcyonHTTP

/// Changes a body once it is complete, before anything else looks at it: decrypts or unpacks it.
///
/// What it gives is also what caches keep.
public protocol DataModifying: Hashable, Sendable {
    /// The bytes to go on with. `nil` or an error fails the download with ``ImageError/Reason/dataRejected(_:)``.
    ///
    /// Called on a thread that may be kept busy, once for all who share the transfer.
    func modified(_ data: Data, of response: TransferResponse) throws -> Data?
}

/// A closure that modifies bodies. It is equal to its copies only, so keep one where equal requests are to share work.
public struct DataModifier: DataModifying {
    private let closure: IdentifiedClosure<@Sendable (Data, TransferResponse) throws -> Data?>

    /// Modifies bodies by a closure; see ``DataModifying/modified(_:of:)``.
    public init(_ closure: @escaping @Sendable (Data, TransferResponse) throws -> Data?) {
        self.closure = IdentifiedClosure(closure)
    }

    /// What the closure answers.
    public func modified(_ data: Data, of response: TransferResponse) throws -> Data? {
        try closure.function(data, response)
    }
}
