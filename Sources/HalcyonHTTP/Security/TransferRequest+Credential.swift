internal import FoundationEssentials

extension TransferRequest {
    /// An "@" in the path is harmless, but not worth telling apart.
    var mayHaveURLCredential: Bool {
        url.absoluteString.utf8.contains(UInt8(ascii: "@"))
    }

    /// User name and password of the URL, percent escapes undone.
    var urlCredential: Credential? {
        guard mayHaveURLCredential, let user = url.user(percentEncoded: false) else { return nil }
        return .basic(user: user, password: url.password(percentEncoded: false) ?? "")
    }
}
