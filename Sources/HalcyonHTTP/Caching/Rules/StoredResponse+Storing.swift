package import FoundationEssentials
internal import HTTPTypes

extension StoredResponse {
    /// Creates the stored form of a response to a GET; `nil` if it must not be stored, or would never be found again (RFC 9111,
    /// section 3).
    ///
    /// - Parameter isShared: `true` where the cache answers many users. Default: `false`.
    package init?(
        request: TransferRequest,
        response: TransferResponse,
        requestTime: Date,
        responseTime: Date,
        isShared: Bool = false
    ) {
        var control = CacheControl(response.headers)
        if isShared { control = control.forSharedCache }
        var headers = response.headers.storable
        headers.add(response.redirects)
        guard Self.mayStore(request, response, control), !CacheControl(request.headers).noStore,
            let selectingFields = Self.selectingFields(of: request, vary: headers)
        else { return nil }
        status = response.status
        // Section 6.6.1 of RFC 9110.
        if headers[.date] == nil { headers[.date] = HTTPDate.string(responseTime) }
        self.headers = headers
        // An entry on a disk holds no user name.
        url = response.url.withoutUser
        isRedirected = response.redirects != nil || response.url.name != request.url.name
        redirectLifetime = response.redirects?.lifetime
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.selectingFields = selectingFields
        self.isShared = isShared
    }

    /// Creates a response of which only its URL and time are known, for a body that was stored without its head.
    package init(url: URL, responseTime: Date) {
        status = 200
        headers = [.date: HTTPDate.string(responseTime)]
        // An entry on a disk holds no user name.
        self.url = url.withoutUser
        isRedirected = false
        requestTime = responseTime
        self.responseTime = responseTime
        selectingFields = []
    }

    /// Creates an entry of a response that may not be stored, for a caller that keeps it all the same: for all others
    /// it has to be validated before each use.
    package init(toBeValidated response: TransferResponse, requestTime: Date, responseTime: Date) {
        status = response.status
        headers = response.headers.storable
        headers[.cacheControl] = "no-cache"
        headers[.vary] = nil
        if headers[.date] == nil { headers[.date] = HTTPDate.string(responseTime) }
        url = response.url.withoutUser
        isRedirected = false
        self.requestTime = requestTime
        self.responseTime = responseTime
        selectingFields = []
    }

    /// Creates the statements of a response that may not be stored, for whoever passes it on.
    ///
    /// - Parameter isShared: `true` where the cache answers many users.
    package init(passedOn response: TransferResponse, at time: Date, isShared: Bool) {
        self.init(url: response.url, responseTime: time)
        status = response.status
        headers = response.headers.storable
        self.isShared = isShared
        // For another reason than its directives.
        if !cacheControl.noStore { headers.append(HTTPField(name: .cacheControl, value: "no-store")) }
    }

    private static func mayStore(
        _ request: TransferRequest,
        _ response: TransferResponse,
        _ control: CacheControl
    ) -> Bool {
        let status = response.status
        // Parts are not put together here, and a 304 belongs to a response that is stored already. 412 and 416 are
        // about conditions and ranges, which no key has (RFC 9110, sections 15.5.13 and 15.5.17).
        guard (200...999).contains(status), ![206, 304, 412, 416].contains(status) else { return false }
        if control.mustUnderstand {
            guard HTTPStatus.isUnderstood(status) else { return false }
        } else if control.noStore {
            return false
        }
        // Stored, a redirect to another spelling of its own name would be its own answer.
        if Redirection.statuses.contains(status), Self.redirectsToItself(response, to: request) { return false }
        let isExplicit = control.maxAge != .absent || response.headers[.expires] != nil
        return isExplicit || control.isPublic || control.isPrivate || HTTPStatus.isHeuristicallyCacheable(status)
    }

    /// Returns whether a redirect leads to the resource that was asked for.
    private static func redirectsToItself(_ response: TransferResponse, to request: TransferRequest) -> Bool {
        let url = response.headers[.location].flatMap { URL(written: $0, relativeTo: request.url) }
        return url?.name == request.url.name
    }
}

extension HTTPFields {
    /// The fields that are not for one connection alone (RFC 9111, section 3.1; RFC 9110, section 7.6.1).
    var storable: HTTPFields {
        let listed = Set(names(in: .connection))
        return filter { !Self.connectionFields.contains($0.name) && !listed.contains($0.name) }
    }

    private static let connectionFields: Set<HTTPField.Name> = Set(
        [
            "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
            "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
        ].compactMap { HTTPField.Name($0) }
    )
}
