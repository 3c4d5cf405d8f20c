extension ImageFormat {
    /// BlurHash: a blurred image in a line of text. Nothing in the text tells that it is one, so it is never detected.
    public static let blurHash = ImageFormat(rawValue: "blurhash")
    /// ThumbHash: a blurred image with alpha and aspect ratio in up to 25 bytes, which are never detected either.
    public static let thumbHash = ImageFormat(rawValue: "thumbhash")
}
