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
