/// The tests of behaviours that the library leaves out.
enum InapplicableCacheTest {
    /// The reasons for which tests do not apply, by id.
    static let reasons: [String: String] = {
        let groups = [
            ("methods other than GET are not cached, and invalidate nothing", otherMethods),
            ("stored responses answer whole, and parts are not stored", ranges),
            ("conditions of the client's own are for the server alone", conditions),
        ]
        let rows = groups.flatMap { reason, ids in ids.map { ($0, reason) } }
        return Dictionary(uniqueKeysWithValues: rows)
    }()

    private static let otherMethods = [
        "method-POST", "invalidate-POST", "invalidate-PUT", "invalidate-PUT-failed", "invalidate-DELETE",
        "invalidate-DELETE-failed", "invalidate-M-SEARCH", "invalidate-M-SEARCH-failed",
        "invalidate-M-SEARCH-location", "invalidate-POST-cl", "invalidate-PUT-cl", "invalidate-DELETE-cl",
        "invalidate-M-SEARCH-cl", "head-writethrough", "head-200-freshness-update", "head-200-update",
        "head-410-update",
    ]

    private static let ranges = [
        "partial-store-partial-reuse-partial", "partial-store-complete-reuse-partial",
        "partial-store-complete-reuse-partial-no-last", "partial-store-partial-reuse-partial-byterange",
        "partial-store-partial-complete", "partial-use-stored-headers",
    ]

    private static let conditions = [
        "conditional-lm-fresh", "conditional-lm-fresh-earlier", "conditional-lm-stale",
        "conditional-etag-strong-respond", "conditional-304-etag", "conditional-etag-precedence",
        "conditional-etag-unquoted-respond-unquoted", "conditional-etag-unquoted-respond-quoted",
        "conditional-etag-weak-respond", "conditional-etag-weak-respond-lowercase",
        "conditional-etag-weak-respond-backslash", "conditional-etag-strong-respond-multiple-second",
        "conditional-etag-strong-respond-multiple-last",
    ]
}
