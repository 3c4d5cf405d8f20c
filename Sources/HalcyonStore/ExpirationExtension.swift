/// The effect of an access on the expiry of the entry it finds.
public enum ExpirationExtension: Sendable, Hashable {
    /// The expiry stays as it is.
    case none
    /// The lifetime given when the entry was stored starts again. An expiry at a fixed date stays where it is.
    case originalLifetime
    /// The entry expires as given, counted from the access.
    case to(Expiration)
}

extension ExpirationExtension {
    /// Returns the time at which an entry in memory or on disk expires after an access; `nil` if the access leaves it as
    /// it is.
    ///
    /// - Parameters:
    ///   - restarted: The end of the lifetime that starts again; `nil` if none does.
    ///   - given: Returns the end of a lifetime that begins with the access.
    @inlinable
    @inline(__always)
    func expiry<Time>(restarted: @autoclosure () -> Time?, given: (Expiration) -> Time) -> Time? {
        switch self {
        case .none: nil
        case .originalLifetime: restarted()
        case .to(let expiration): given(expiration)
        }
    }
}
