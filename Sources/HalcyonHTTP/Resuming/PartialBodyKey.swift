internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonSystem

/// The identity of an interrupted body: the URL, and the headers and credential of its request, and the original that it is
/// received for.
package struct PartialBodyKey: Sendable, Hashable {
    /// The name of the original, by which the body is removed; that of the URL if there is none.
    package let original: String
    /// A hash of URL, headers, credential and original; names the files.
    let hash: UInt64
    /// The same with another seed, so that two requests that share the first differ. The content of headers and
    /// credentials is nowhere written.
    let check: UInt64

    /// The key of a request; `nil` for one that cannot be gone on with: of another method than GET, or with a header
    /// that asks for a part, or for a response under a condition, or not to be stored.
    ///
    /// - Parameters:
    ///   - original: The name of the original, wherever hooks and redirects lead to it. Default: that of the URL.
    ///   - scope: The ``HTTPTransport/cacheScope`` of the transport. Default: none.
    package init?(_ request: TransferRequest, of original: String? = nil, scope: String? = nil) {
        let excluded: [HTTPField.Name] = [
            .range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
        ]
        guard request.method == .get, request.body == nil, excluded.allSatisfy({ request.headers[$0] == nil }),
            !CacheControl(request.headers).noStore
        else { return nil }
        let url = request.url.name
        self.original = original ?? url
        var identity = url
        for field in request.headers.sorted(by: {
            ($0.name.canonicalName, $0.value) < ($1.name.canonicalName, $1.value)
        }) where !field.name.isCredential {
            // No name and no value holds a line end.
            identity += "\n\(field.name.canonicalName):\(field.value)"
        }
        // The hashes name files, and must not confirm a guess.
        if let digest = CredentialDigester.installation.digest(of: request) { identity += "\n\n\(digest)" }
        if let scope { identity += "\n\n\n\(scope)" }
        if !ExactString.hasSameBytes(self.original, url) { identity += "\n\n\n\n\(self.original)" }
        let bytes = Array(identity.utf8)
        hash = bytes.withUnsafeBytes { Checksum.hash(of: $0) }
        check = bytes.withUnsafeBytes { Checksum.hash(of: $0, seed: 1) }
    }

    /// The name of the files: 16 hexadecimal digits.
    var name: String { hash.hexadecimalDigits }
}
