internal import FoundationEssentials
internal import HTTPTypes

extension HTTPCacheTransaction {
    /// Returns the answer made of a stored response: with its age, and cut down to the requested part.
    func served(
        _ entry: Entry,
        _ source: HTTPCacheResponse.Source,
        metrics: TransferMetrics? = nil
    ) -> HTTPCacheResponse {
        let (head, body) = entry
        var headers = head.headers
        if source != .validated {
            let age = min(head.age(at: now()), Double(DeltaSeconds.maximum))
            headers[.age] = String(Int(age))
            // Those must not be used again without validation (RFC 9111, section 5.2.2.4).
            for name in head.cacheControl.noCacheFields { headers[name] = nil }
        }
        var answer = HTTPCacheResponse(
            response: TransferResponse(
                status: head.status,
                headers: headers,
                url: head.url,
                expectedBodyBytes: body.count
            ),
            data: body,
            source: source,
            metrics: metrics,
            stored: head
        )
        guard !rules.servesWhole else { return answer }
        if Preconditions.areMet(request, by: head, now: now()) {
            answer.becomeNotModified()
        } else if request.method == .head {
            answer.empty()
        } else if head.status == 200, let range = wantedRange(of: entry) {
            answer.cut(to: range)
        }
        return answer
    }

    /// Returns the answer where nothing is stored and the server must not be asked (RFC 9111, section 5.2.1.7).
    func unavailable() -> HTTPCacheResponse {
        let response = TransferResponse(status: 504, url: request.url, expectedBodyBytes: 0)
        return HTTPCacheResponse(response: response, data: Data(), source: .unavailable, metrics: nil, stored: nil)
    }

    /// Returns the part of the body that is requested; `nil` for all of it.
    private func wantedRange(of entry: Entry) -> ByteRange? {
        guard request.method == .get, let text = request.headers[.range] else { return nil }
        if let condition = request.headers[.ifRange] {
            // A date, or a tag that is weak or another one: all of it (RFC 9110, section 13.1.5).
            guard let tag = entry.head.headers.entityTag, EntityTag(condition)?.matchesStrongly(tag) ?? false else {
                return nil
            }
        }
        return ByteRange(text, of: entry.body.count)
    }
}

extension HTTPCacheResponse {
    /// Turns the response into a 304, without a body and the fields that describe one (RFC 9110, section 15.4.5).
    mutating func becomeNotModified() {
        response.status = 304
        for name in Self.contentFields { response.headers[name] = nil }
        empty()
    }

    private static let contentFields: [HTTPField.Name] = [
        .contentEncoding, .contentLanguage, .contentLength, .contentRange, .contentType,
    ]

    fileprivate mutating func empty() {
        data = Data()
        response.expectedBodyBytes = 0
    }

    /// Makes it a response with a part of the body (RFC 9110, section 15.3.7).
    fileprivate mutating func cut(to range: ByteRange) {
        let count = data.count
        switch range {
        case .bytes(let range):
            data = data.subdata(in: (data.startIndex + range.lowerBound)..<(data.startIndex + range.upperBound))
            response.status = 206
            response.headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"
        case .unsatisfiable:
            data = Data()
            response.status = 416
            response.headers[.contentRange] = "bytes */\(count)"
        }
        response.headers[.contentLength] = String(data.count)
        response.expectedBodyBytes = data.count
    }
}

extension TransferError {
    /// A Boolean value that indicates whether the server could not be reached, or did not manage to answer. Neither a
    /// refusal of this program nor doubt about the identity of the server counts.
    package var isDisconnection: Bool {
        switch self {
        case .cannotFindHost, .cannotConnect, .connectionLost, .timedOut, .tlsFailure, .malformedResponse, .other: true
        default: false
        }
    }
}
