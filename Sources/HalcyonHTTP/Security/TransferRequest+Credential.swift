internal import FoundationEssentials
internal import HalcyonSystem

extension TransferRequest {
    /// A Boolean value that indicates whether the URL has an "@". One in the path is harmless, but not worth
    /// distinguishing.
    var mayHaveURLCredential: Bool {
        url.absoluteString.utf8Contains(UInt8(ascii: "@"))
    }

    /// The user name and password of the URL, percent escapes undone.
    var urlCredential: Credential? {
        guard mayHaveURLCredential, let user = url.user(percentEncoded: false) else { return nil }
        return .basic(user: user, password: url.password(percentEncoded: false) ?? "")
    }
}
