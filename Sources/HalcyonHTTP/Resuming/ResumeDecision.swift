internal import FoundationEssentials
internal import HTTPTypes

/// What a response means to someone who holds the beginning of its body and asked for the rest.
package enum ResumeDecision: Sendable, Hashable {
    /// The rest follows; this is the head of the whole.
    case resumes(TransferResponse)
    /// What is held is all there is; this is its head. The body of this response is to be thrown away.
    case isComplete(TransferResponse)
    /// The whole follows, from its beginning; what is held is out of date.
    case startsOver
    /// What follows does not fit what is held, which is of no use: ask once more, for the whole.
    case asksAgain
    /// It says nothing about what is held: an error, say.
    case isUnrelated
}

extension PartialResponse {
    /// Judges the response to ``request(_:after:)``. Bytes of two versions are never mixed: a part counts only if it is
    /// one part, in no coding, from where the request went before, begins where what is held ends, reaches to the end, and
    /// contradicts nothing that is known.
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
        return .resumes(whole(updatedWith: headers, url: response.url, totalBytes: total))
    }

    private func judgeRefusal(_ response: TransferResponse, _ heldBytes: Int) -> ResumeDecision {
        guard case .unsatisfied(heldBytes)? = response.headers[.contentRange].flatMap(ContentRange.init),
            heldBytes == totalBytes ?? heldBytes, isSameVersion(response)
        else { return .asksAgain }
        // The headers of a refusal are about the refusal.
        return .isComplete(whole(updatedWith: [:], url: response.url, totalBytes: heldBytes))
    }

    /// An entity tag tells versions of one resource apart, so it means nothing where another one answered. What comes
    /// after "?" may differ: signed links do, each time.
    private func isSameVersion(_ response: TransferResponse) -> Bool {
        func resource(_ url: String) -> Substring { url.prefix { $0 != "?" && $0 != "#" } }
        guard resource(url) == resource(response.url.withoutUser.absoluteString) else { return false }
        if let tag = response.headers[.eTag] { return tag == validator }
        if let modified = response.headers[.lastModified], let known = headers[.lastModified] {
            return modified == known
        }
        return true
    }
}

extension HTTPFields {
    /// Several parts in one body (RFC 9110, section 14.6), which nobody asked for.
    fileprivate var isMultipart: Bool {
        (self[.contentType] ?? "").trimmed.lowercased().hasPrefix("multipart/byteranges")
    }
}
