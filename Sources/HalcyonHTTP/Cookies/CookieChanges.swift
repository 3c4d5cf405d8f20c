/// The changes of a ``CookieStore`` that are not in its file yet: one for each cookie, the last.
struct CookieChanges: Sendable {
    /// A Boolean value that indicates whether the cookies of the file go before ``changes`` are made.
    var removesAll = false
    /// The cookies as they are to be; `nil` for one that goes.
    private(set) var changes: [Cookie.Key: Cookie?] = [:]

    var isEmpty: Bool { changes.isEmpty && !removesAll }

    mutating func note(_ cookie: Cookie?, for key: Cookie.Key) {
        changes[key] = .some(cookie)
    }

    /// Returns the changes of both, of which the later ones count.
    func followed(by later: CookieChanges) -> CookieChanges {
        if later.removesAll { return later }
        var changes = self
        changes.changes.merge(later.changes) { $1 }
        return changes
    }

    /// Makes the changes.
    ///
    /// - Parameters:
    ///   - order: The table that has the cookies in their order.
    ///   - isKept: Returns whether a cookie is one of those that are changed here; others are removed.
    func apply(to table: inout CookieTable, inOrderOf order: CookieTable, isKept: (Cookie) -> Bool) {
        for (key, cookie) in changes where cookie.map(isKept) != true { table.remove(for: key) }
        for cookie in order.cookies where isKept(cookie) && changes[Cookie.Key(cookie)] == .some(cookie) {
            table.set(cookie, inOrderOf: order)
        }
    }
}
