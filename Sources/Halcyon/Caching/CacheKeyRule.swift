internal import HalcyonSystem

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
        case leavesOut(names: Set<ExactString>, prefixes: Set<ExactString>)
        case keeps(names: Set<ExactString>)
        case custom(CustomRule)
    }

    private let choice: Choice

    /// Returns a rule that leaves out the query items with these names, and those whose names begin with these
    /// prefixes. Case counts in neither, for the letters A to Z; otherwise bytes are compared.
    public static func ignoringQueryItems(_ names: Set<String>, prefixes: Set<String> = []) -> CacheKeyRule {
        CacheKeyRule(
            choice: .leavesOut(
                names: Set(names.map { ExactString(lowercased($0)) }),
                prefixes: Set(prefixes.map { ExactString(lowercased($0)) })
            )
        )
    }

    /// Returns a rule that leaves out all query items but those with these names. Case does not count, for the letters
    /// A to Z; otherwise bytes are compared.
    public static func keepingQueryItems(_ names: Set<String>) -> CacheKeyRule {
        CacheKeyRule(choice: .keeps(names: Set(names.map { ExactString(lowercased($0)) })))
    }

    /// Returns a rule of the program's own. Two with the same identifier are taken to be the same.
    ///
    /// - Parameters:
    ///   - identifier: The name of the rule. It is no part of keys, which consist of what the rule returns.
    ///   - key: Returns the name for a web address, which is without user name and password. `nil` and an empty name
    ///     stand for the whole address, so that no two images get the same name by mistake. Called with each load and
    ///     each look into memory, on the thread of the caller, with no lock held; it must always return the same for
    ///     the same address. A failed precondition in it ends the program.
    public static func custom(
        _ identifier: String,
        key: @escaping @Sendable (_ address: String) -> String?
    ) -> CacheKeyRule {
        CacheKeyRule(choice: .custom(CustomRule(identifier: ExactString(identifier), key: key)))
    }

    /// The rule that leaves out the whole query.
    public static let ignoringQuery = keepingQueryItems([])

    /// Returns the address without the parts that the rule leaves out; everything else as it is, byte for byte and in
    /// its order.
    public func key(for address: String) -> String {
        if case .custom(let rule) = choice {
            guard let key = rule.key(address), !key.utf8.isEmpty else { return address }
            return key
        }
        // Bytes, not characters: a character that combines with the one before it would hide that.
        let bytes = Array(address.utf8)
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return address }
        let end = bytes[mark...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        // A question mark in the fragment begins no query.
        guard !bytes[..<mark].contains(UInt8(ascii: "#")) else { return address }
        let items = bytes[(mark + 1)..<end].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let kept = items.filter(keeps)
        if kept.count == items.count { return address }
        var key = Array(bytes[..<mark])
        if !kept.isEmpty { key += [UInt8(ascii: "?")] + kept.joined(separator: [UInt8(ascii: "&")]) }
        return String(decoding: key + bytes[end...], as: UTF8.self)
    }

    private func keeps(_ item: ArraySlice<UInt8>) -> Bool {
        let raw = item.prefix { $0 != UInt8(ascii: "=") }
        let name = PercentEncoding.decodedBytes(raw).map(Self.lowercased)
        return switch choice {
        case .leavesOut(let names, let prefixes):
            !names.contains { $0.text.utf8.elementsEqual(name) }
                && !prefixes.contains { name.starts(with: $0.text.utf8) }
        case .keeps(let names):
            names.contains { $0.text.utf8.elementsEqual(name) }
        case .custom:
            true
        }
    }

    private static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map(lowercased), as: UTF8.self)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// A rule with a closure, equal to those with the same identifier.
private struct CustomRule: Sendable, Hashable {
    let identifier: ExactString
    let key: @Sendable (String) -> String?

    static func == (left: CustomRule, right: CustomRule) -> Bool { left.identifier == right.identifier }

    func hash(into hasher: inout Hasher) {
        hasher.combine(identifier)
    }
}

extension CacheKeyRule {
    /// The rule for presigned URLs of Amazon S3 and of services that use its protocol, signature versions 4 and 2.
    ///
    /// Version 4 adds `X-Amz-Algorithm`, `-Credential`, `-Date`, `-Expires`, `-SignedHeaders`, `-Signature` and
    /// `-Security-Token` (Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters"). `versionId`,
    /// `partNumber` and `response-…` change what is sent, and stay.
    public static let amazonS3 = ignoringQueryItems(["AWSAccessKeyId", "Signature", "Expires"], prefixes: ["X-Amz-"])

    /// The rule for signed URLs of Amazon CloudFront, with a canned or a custom policy (Amazon CloudFront Developer
    /// Guide, "Use signed URLs").
    public static let amazonCloudFront = ignoringQueryItems([
        "Expires", "Policy", "Signature", "Key-Pair-Id", "Hash-Algorithm",
    ])

    /// The rule for signed URLs of Google Cloud Storage, versions 4 and 2 (Cloud Storage documentation, "Signed URLs").
    /// `generation` and `response-…` change what is sent, and stay.
    public static let googleCloudStorage = ignoringQueryItems(
        ["GoogleAccessId", "Expires", "Signature"],
        prefixes: ["X-Goog-"]
    )

    /// The rule for shared access signatures of Azure Storage: for an account, a service, and delegated by a user, also
    /// to one user alone (Azure Storage REST API, "Create an account SAS", "Create a service SAS", "Create a user
    /// delegation SAS"). `rscc`, `rscd`, `rsce`, `rscl`, `rsct`, `snapshot` and `versionid` change what is sent, and
    /// stay.
    public static let azureStorage = ignoringQueryItems([
        "sv", "ss", "srt", "sp", "se", "st", "spr", "sig", "sr", "sip", "si", "sdd", "skoid", "sktid", "skt", "ske",
        "sks", "skv", "skdutid", "saoid", "suoid", "sduoid", "scid", "ses",
    ])
}
