internal import FoundationEssentials

extension TransferRequest {
    /// A Boolean value that indicates whether the request goes to this machine itself, which needs no network:
    /// `localhost` and names below it (RFC 6761, section 6.3), 127.0.0.0/8, ::1.
    package var isForThisMachine: Bool {
        guard let host = Origin(url.absoluteString)?.host else { return false }
        if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
