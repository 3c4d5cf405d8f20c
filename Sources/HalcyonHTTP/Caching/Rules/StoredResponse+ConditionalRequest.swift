internal import HTTPTypes

extension StoredResponse {
    /// A Boolean value that indicates whether a server can be asked if the response is still valid.
    package var hasValidator: Bool { headers[.eTag] != nil || headers[.lastModified] != nil }

    /// Returns the request with the conditions that make its server answer 304 if this response is still valid (RFC
    /// 9111, section 4.3.1). The request's own are left out.
    func validating(_ request: TransferRequest) -> TransferRequest {
        guard hasValidator else { return request }
        var request = request
        request.headers[.ifNoneMatch] = headers[.eTag]
        request.headers[.ifModifiedSince] = headers[.lastModified]
        return request
    }
}
