internal import FoundationEssentials
internal import HalcyonHTTP

/// For how long and for whom an original may be used, and all that was made of it.
///
/// A class, so that one reference is counted where an image in memory is looked at.
final class OriginalValidity: Sendable {
    /// When its server has to be asked again; `nil`: it did not say.
    let freshUntil: Date?
    /// The head of the response: whom it is for, and whether it may be used when its time is over.
    let response: StoredResponse?

    /// `nil` if there is nothing to be said.
    init?(freshUntil: Date?, response: StoredResponse?) {
        if freshUntil == nil, response?.isVarying != true { return nil }
        self.freshUntil = freshUntil
        self.response = response
    }

    /// As a server said; `nil` if it said nothing.
    convenience init?(_ head: StoredResponse, at now: Date, rules: HTTPCacheRules) {
        let freshness = head.freshness(at: now, rules: rules)
        let mustAsk = head.cacheControl.noCache && rules.lifetimeOverride == nil
        let freshUntil = mustAsk ? now : head.freshUntil(rules: rules)
        // What is fresh for ever has no date that could be written down.
        let isOverSometime = freshUntil.timeIntervalSinceReferenceDate < .infinity
        self.init(
            freshUntil: isOverSometime && (freshness.isExplicit || mustAsk || !freshness.isFresh) ? freshUntil : nil,
            response: head
        )
    }

    /// Whether the image is for some requests alone.
    var isVarying: Bool { response?.isVarying ?? false }

    /// Whether there are failures of the server that make the image usable when its time is over.
    var mayBeUsedStale: Bool {
        guard let control = response?.cacheControl else { return false }
        return !control.noCache && !control.mustRevalidate
    }

    /// Whether the server has to be asked again.
    func isOver(at now: Date) -> Bool {
        freshUntil.map { $0 <= now } ?? false
    }

    /// Whether the image may be used now, for a request that is `nil` if it goes to no server.
    func allows(_ request: @autoclosure () -> TransferRequest?, at now: @autoclosure () -> Date) -> Bool {
        if freshUntil != nil, isOver(at: now()) { return false }
        guard let response, response.isVarying else { return true }
        return request().map(response.matches) ?? false
    }
}

extension HTTPCacheRules {
    /// What the standard leaves open, for images: seven days where the server says nothing.
    static var images: HTTPCacheRules {
        var rules = HTTPCacheRules()
        rules.defaultLifetime = .seconds(7 * 86_400)
        return rules
    }
}
