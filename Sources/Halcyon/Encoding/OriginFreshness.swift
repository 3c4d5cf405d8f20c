public import FoundationEssentials
internal import HalcyonHTTP

/// The rules of an original's server for reusing it, and what is made of it, as they are at one time (RFC 9111, RFC 5861). A
/// server passes them on in its `Cache-Control`.
public struct OriginFreshness: Sendable, Hashable {
    /// The seconds for which it may be used without asking its server; 0 if the server has to be asked now.
    public var lifetime: Int
    /// The same for caches that answer many users, where the server names another time for them (`s-maxage`). Default:
    /// `nil`, ``lifetime``.
    public var sharedLifetime: Int?
    /// The seconds after that for which it may be used while its server is asked. Default: 0.
    public var staleWhileRevalidate = 0
    /// The seconds after ``lifetime`` for which it may be used if its server fails. Default: 0.
    public var staleIfError = 0
    /// A Boolean value that indicates whether it must not be used after ``lifetime`` unless the server confirms it. Default:
    /// `false`.
    public var mustRevalidate = false
    /// A Boolean value that indicates whether it is for one user alone. Default: `false`.
    public var isPrivate = false
    /// A Boolean value that indicates whether no copy may be kept. Default: `false`.
    public var forbidsStorage = false

    /// Creates rules. Each parameter is the property of its name.
    public init(
        lifetime: Int,
        sharedLifetime: Int? = nil,
        staleWhileRevalidate: Int = 0,
        staleIfError: Int = 0,
        mustRevalidate: Bool = false,
        isPrivate: Bool = false,
        forbidsStorage: Bool = false
    ) {
        self.lifetime = lifetime
        self.sharedLifetime = sharedLifetime
        self.staleWhileRevalidate = staleWhileRevalidate
        self.staleIfError = staleIfError
        self.mustRevalidate = mustRevalidate
        self.isPrivate = isPrivate
        self.forbidsStorage = forbidsStorage
    }
}

extension EncodedImage {
    /// Returns the rules of the original's server; `nil` if the source has no server, or the server stated none.
    ///
    /// They are known for requests that follow the server (``FreshnessPolicy/server``).
    ///
    /// - Parameter date: The time at which a response is made of it. Default: now.
    public func freshness(at date: Date = Date()) -> OriginFreshness? {
        guard let validity else {
            // What a server sends is kept, or its validity known, unless it forbids that.
            return source == .network ? OriginFreshness(lifetime: 0, forbidsStorage: true) : nil
        }
        guard !validity.isSilent else { return nil }
        let (response, forOneUser) = (validity.response, validity.response.forOneUser)
        let (control, shared) = (forOneUser.cacheControl, validity.freshUntil.timeIntervalSince(date))
        // A server may say for how long a cache of one user may use what a cache of many has stored.
        let saysSo =
            response.isShared && !control.noCache && !control.noStore
            && forOneUser.freshness(at: response.responseTime, rules: .images).isExplicit
        let own = saysSo ? forOneUser.freshUntil(rules: .images).timeIntervalSince(date) : shared
        // The time that is left of what begins when it stops being fresh.
        let left = { (window: CacheControl.Seconds) in Self.seconds(Double(window.value ?? 0) + min(0, shared)) }
        return OriginFreshness(
            lifetime: Self.seconds(own),
            sharedLifetime: own == shared || control.isPrivate ? nil : Self.seconds(shared),
            staleWhileRevalidate: left(control.staleWhileRevalidate),
            staleIfError: validity.mayBeUsedStale ? left(control.staleIfError) : 0,
            mustRevalidate: (control.isPrivate ? control : response.cacheControl).forbidsStaleUse,
            isPrivate: control.isPrivate,
            forbidsStorage: control.noStore
        )
    }

    /// Returns whole seconds, at least 0 and at most a year: far dates are no numbers of seconds.
    private static func seconds(_ seconds: Double) -> Int { Int(min(max(0, seconds), 31_536_000)) }
}
