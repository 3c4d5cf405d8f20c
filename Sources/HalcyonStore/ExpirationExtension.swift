/// The effect of an access on the expiry of the entry it finds.
public enum ExpirationExtension: Sendable, Hashable {
    /// The expiry stays as it is.
    case none
    /// The lifetime given when the entry was stored starts again. An expiry at a fixed date stays where it is.
    case originalLifetime
    /// The entry expires as given, counted from the access.
    case to(Expiration)
}
