internal import HalcyonFiles

/// A rule for the part of a web address that names an image in caches: query items that change with each signature are
/// left out.
///
/// Two addresses that a rule makes equal count as the same image. A rule is for images whose source is a web address
/// without a cache key of its own.
///
/// ```swift
/// let image = try await pipeline.image(from: signedURL, options: [.cacheKeyRule(.amazonS3)])
/// ```
public struct CacheKeyRule: Sendable, Hashable {
    private enum Choice: Sendable, Hashable {
        case leavesOut(names: Set<String>, prefixes: Set<String>)
        case keeps(names: Set<String>)
    }

    private let choice: Choice

    /// Returns a rule that leaves out the query items with these names, and those whose names begin with these
    /// prefixes. Case counts in neither.
    public static func ignoringQueryItems(_ names: Set<String>, prefixes: Set<String> = []) -> CacheKeyRule {
        CacheKeyRule(
            choice: .leavesOut(
                names: Set(names.map { $0.lowercased() }),
                prefixes: Set(prefixes.map { $0.lowercased() })
            )
        )
    }

    /// Returns a rule that leaves out all query items but those with these names. Case does not count.
    public static func keepingQueryItems(_ names: Set<String>) -> CacheKeyRule {
        CacheKeyRule(choice: .keeps(names: Set(names.map { $0.lowercased() })))
    }

    /// The rule that leaves out the whole query.
    public static let ignoringQuery = keepingQueryItems([])

    /// The rule for presigned URLs of Amazon S3 and of services that use its protocol, signature versions 4 and 2.
    public static let amazonS3 = ignoringQueryItems(["AWSAccessKeyId", "Signature", "Expires"], prefixes: ["X-Amz-"])

    /// The rule for signed URLs of Amazon CloudFront, with a canned or a custom policy.
    public static let amazonCloudFront = ignoringQueryItems([
        "Expires", "Policy", "Signature", "Key-Pair-Id", "Hash-Algorithm",
    ])

    /// The rule for signed URLs of Google Cloud Storage, versions 4 and 2.
    public static let googleCloudStorage = ignoringQueryItems(
        ["GoogleAccessId", "Expires", "Signature"],
        prefixes: ["X-Goog-"]
    )

    /// The rule for shared access signatures of Azure Storage: for an account, a service, and delegated by a user.
    public static let azureStorage = ignoringQueryItems([
        "sv", "ss", "srt", "sp", "se", "st", "spr", "sig", "sr", "sip", "si", "sdd", "skoid", "sktid", "skt", "ske",
        "sks", "skv", "saoid", "suoid", "scid", "ses",
    ])

    /// Returns the address without the parts that the rule leaves out; everything else as it is, byte for byte and in
    /// its order.
    public func key(for address: String) -> String {
        let bytes = address.utf8
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return address }
        let end = bytes[mark...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        // A question mark in the fragment begins no query.
        guard bytes[..<mark].firstIndex(of: UInt8(ascii: "#")) == nil else { return address }
        let query = address[address.index(after: mark)..<end]
        let kept = query.split(separator: "&", omittingEmptySubsequences: false).filter { keeps($0) }
        let text = kept.joined(separator: "&")
        return address[..<mark] + (kept.isEmpty ? "" : "?" + text) + address[end...]
    }

    private func keeps(_ item: Substring) -> Bool {
        let raw = item.prefix { $0 != "=" }
        let name = PercentEncoding.decoded(raw).lowercased()
        return switch choice {
        case .leavesOut(let names, let prefixes): !names.contains(name) && !prefixes.contains(where: name.hasPrefix)
        case .keeps(let names): names.contains(name)
        }
    }
}
