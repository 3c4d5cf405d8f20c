internal import HTTPTypes
internal import HalcyonHTTP

extension DownloadRun {
    /// Checks the status and the content type of a final response, which the options accept or refuse.
    func check(_ response: TransferResponse, to request: TransferRequest) throws {
        let isUnconditional = request.headers[.ifNoneMatch] == nil && request.headers[.ifModifiedSince] == nil
        let isAccepted =
            response.status == 304
            ? !isUnconditional && (handling.acceptsNotModified || handling.acceptedStatusCodes.contains(304))
            : handling.acceptedStatusCodes.contains(response.status)
        guard isAccepted else {
            var refusal = failure(.status(response.status))
            refusal.retryAfter = RetryAfter.delay(response.headers)
            throw refusal
        }
        // "Not modified" says nothing about the content (RFC 9110, section 15.4.5).
        guard response.status != 304 else { return }
        let type = response.headers[.contentType]
        let isAcceptedType =
            if let types = handling.acceptedContentTypes {
                AcceptedContentTypes.contains(type, in: types)
            } else {
                // Cameras send images without an end.
                !AcceptedContentTypes.contains(type, in: ["multipart/x-mixed-replace"])
            }
        guard isAcceptedType else { throw failure(.contentType(type)) }
    }
}

/// Compares content types with patterns such as "image/*" (RFC 9110, section 12.5.1).
private enum AcceptedContentTypes {
    /// Returns whether a `Content-Type` matches one of `patterns`, its parameters aside. Without a type only "*/*"
    /// matches.
    static func contains(_ contentType: String?, in patterns: Set<String>) -> Bool {
        if patterns.contains("*/*") { return true }
        guard let contentType else { return false }
        let type = essence(contentType)
        return patterns.contains { pattern in
            let pattern = essence(pattern)
            // The slash stays, so that "image/*" does not match "imagery/png".
            return pattern.hasSuffix("/*") ? type.hasPrefix(pattern.dropLast()) : type == pattern
        }
    }

    /// Returns the type and subtype, without parameters and surrounding white space.
    private static func essence(_ contentType: String) -> String {
        let type = contentType.prefix { $0 != ";" }
        return type.split(whereSeparator: \.isWhitespace).joined().lowercased()
    }
}
