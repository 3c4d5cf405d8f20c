internal import FoundationEssentials
package import HTTPTypes

/// The known part of a response whose body was interrupted, and its consequences. A value: it does no input or output.
package struct PartialResponse: Sendable, Hashable {
    /// The URL from which the response came, after all redirects.
    package var url: String
    /// The headers, without those that concern a connection, a part, or cookies.
    package var headers: HTTPFields
    /// The value for `If-Range`.
    package var validator: String
    /// The length of the whole body; `nil` where the server did not say.
    package var totalBytes: Int?

    package init(url: String, headers: HTTPFields, validator: String, totalBytes: Int?) {
        self.url = url
        self.headers = headers
        self.validator = validator
        self.totalBytes = totalBytes
    }

    /// Creates the kept part of a response; `nil` if its body cannot be resumed, or is not to be stored: any other
    /// status than 200, no strong validator, a content coding, `Accept-Ranges: none`, `no-store`.
    package init?(keeping response: TransferResponse) {
        let headers = response.headers
        guard response.status == 200, let validator = StrongValidator.value(of: headers),
            !headers.hasContentCoding, headers[.acceptRanges]?.lowercased() != "none",
            !CacheControl(headers).noStore
        else { return nil }
        self.init(
            url: response.url.withoutUser.absoluteString,
            headers: headers.filter { !Self.isLeftOut($0.name) },
            validator: validator,
            totalBytes: response.expectedBodyBytes
        )
    }

    /// Returns the request for the bytes from `heldBytes` on, provided that nothing has changed (RFC 9110, sections
    /// 14.2 and 13.1.5).
    package func request(_ request: TransferRequest, after heldBytes: Int) -> TransferRequest {
        var request = request
        request.headers[.range] = "bytes=\(heldBytes)-"
        request.headers[.ifRange] = validator
        return request
    }

    private static func isLeftOut(_ name: HTTPField.Name) -> Bool {
        [
            "connection", "keep-alive", "proxy-connection", "transfer-encoding", "te", "trailer", "upgrade",
            "content-length", "content-range", "set-cookie", "set-cookie2", "www-authenticate",
            "proxy-authenticate", "proxy-authentication-info", "authentication-info",
        ].contains(name.canonicalName)
    }

    /// Returns the head of the whole response. A part repeats only some of its headers; those it has are the newer ones
    /// (RFC 9110, section 15.3.7).
    func whole(updatedWith part: HTTPFields, of response: TransferResponse, totalBytes: Int) -> TransferResponse {
        let newer = part.filter { !Self.isLeftOut($0.name) && $0.name != .contentType }
        let names = Set(newer.map(\.name))
        var headers = self.headers.filter { !names.contains($0.name) }
        for field in newer { headers.append(field) }
        if headers[.contentType] == nil { headers[.contentType] = part[.contentType] }
        headers[.contentLength] = "\(totalBytes)"
        var whole = TransferResponse(status: 200, headers: headers, url: response.url, expectedBodyBytes: totalBytes)
        whole.redirects = response.redirects
        return whole
    }
}

extension HTTPFields {
    /// A Boolean value that indicates whether the body is coded in a way that the transport undoes.
    var hasContentCoding: Bool { !ContentCodings(self).isEmpty }
}
