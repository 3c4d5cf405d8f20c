/// The meanings of statuses for a cache.
package enum HTTPStatus {
    /// Returns whether a response may be reused without a stated lifetime (RFC 9110, section 15.1). A 206 is never
    /// stored here.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Returns whether the meaning of a status for caches is known, for responses that demand it (`must-understand`):
    /// the final ones that RFC 9110 defines, except those that need more than storing.
    static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...205, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 500...505: true
        default: false
        }
    }

    /// Returns whether a response of this status describes the resource, which makes an earlier response to the same
    /// request obsolete. Other refusals concern the client, the time or the manner of a request: 401, 403, 407, 429.
    package static func isAboutResource(_ status: Int) -> Bool {
        switch status {
        case 200..<400: ![206, 304].contains(status)
        default: isGone(status)
        }
    }

    /// Returns whether a response of this status says that the server does not have the resource, or not any more.
    package static func isGone(_ status: Int) -> Bool { [404, 410, 451].contains(status) }

    /// Returns whether a response with this status is the whole of the resource, or stands for it, and is no refusal.
    package static func isContent(_ status: Int) -> Bool { status < 400 && isAboutResource(status) }

    /// Returns whether a server that answers with this status counts as one that failed (RFC 5861, section 4).
    package static func isServerFailure(_ status: Int) -> Bool {
        switch status {
        case 500, 502, 503, 504: true
        default: false
        }
    }
}
