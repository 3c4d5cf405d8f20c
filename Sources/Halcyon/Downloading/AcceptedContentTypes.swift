internal import HTTPTypes

/// Compares content types with patterns such as "image/*" (RFC 9110, section 12.5.1).
enum AcceptedContentTypes {
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
