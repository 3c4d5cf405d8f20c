internal import FoundationEssentials
internal import HTTPTypes

/// The meaning of a response for a client that holds the beginning of its body and asked for the rest.
package enum ResumeDecision: Sendable, Hashable {
    /// The rest follows; this is the head of the whole.
    case resumes(TransferResponse)
    /// The held bytes are the whole body; this is its head. The body of this response is to be discarded.
    case isComplete(TransferResponse)
    /// The whole follows, from its beginning; the held bytes are out of date.
    case startsOver
    /// The bytes that follow do not fit the held ones, which are of no use: the request has to be repeated, for the
    /// whole.
    case asksAgain
    /// The response says nothing about the held bytes: an error, say.
    case isUnrelated
}

extension PartialResponse {
    /// Returns the decision for the response to ``request(_:after:)``. Bytes of two versions are never mixed: a part
    /// counts only if it is one part, in no coding, from where the request went before, begins where the held bytes
    /// end, reaches to the end, and contradicts nothing that is known.
    package func judge(_ response: TransferResponse, heldBytes: Int) -> ResumeDecision {
        switch response.status {
        case 200: .startsOver
        case 206: judgePart(response, heldBytes)
        case 416: judgeRefusal(response, heldBytes)
        default: .isUnrelated
        }
    }

    private func judgePart(_ response: TransferResponse, _ heldBytes: Int) -> ResumeDecision {
        let headers = response.headers
        guard case .bytes(let range, let total?)? = headers[.contentRange].flatMap(ContentRange.init),
            range.lowerBound == heldBytes, range.upperBound == total - 1, total == totalBytes ?? total,
            response.expectedBodyBytes ?? range.count == range.count,
            !headers.hasContentCoding, !headers.isMultipart, isSameVersion(response)
        else { return .asksAgain }
        return .resumes(whole(updatedWith: headers, of: response, totalBytes: total))
    }

    private func judgeRefusal(_ response: TransferResponse, _ heldBytes: Int) -> ResumeDecision {
        guard case .unsatisfied(heldBytes)? = response.headers[.contentRange].flatMap(ContentRange.init),
            heldBytes == totalBytes ?? heldBytes, isSameVersion(response)
        else { return .asksAgain }
        // The headers of a refusal are about the refusal.
        return .isComplete(whole(updatedWith: [:], of: response, totalBytes: heldBytes))
    }

    /// Returns whether the response is of the same version. An entity tag distinguishes versions of one resource, so it
    /// means nothing where another one answered. The part after "?" may differ: that of signed links does, each time.
    private func isSameVersion(_ response: TransferResponse) -> Bool {
        func resource(_ url: URL?) -> Substring? { url?.name.prefix { $0 != "?" } }
        guard resource(URL(string: url)) == resource(response.url) else { return false }
        if let tag = response.headers[.eTag] { return tag == validator }
        // A part has the tag that the whole would have (RFC 9110, section 15.3.7).
        if response.status == 206, validator.hasPrefix("\"") { return false }
        if let modified = response.headers[.lastModified], let known = headers[.lastModified] {
            return modified == known
        }
        return true
    }
}

extension HTTPFields {
    /// A Boolean value that indicates whether the body has several parts (RFC 9110, section 14.6), which were not asked
    /// for.
    var isMultipart: Bool {
        (self[.contentType] ?? "").lowercased().hasPrefix("multipart/byteranges")
    }
}
