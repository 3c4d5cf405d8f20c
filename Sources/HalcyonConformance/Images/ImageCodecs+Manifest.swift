internal import HalcyonCodecs

extension ImageCodecs {
    /// Names of the list for what one of our formats covers.
    private static let aliases: [String: ImageFormat] = ["heif": .heic, "svgz": .svg, "cur": .ico]

    /// Returns the reason for which a file of this format, as the list calls it, cannot be judged: there is no decoder.
    /// `nil` if there is one, or none could be, because the format is unknown.
    func reasonForNoDecoder(ofManifestFormat name: String) -> String? {
        let format = Self.aliases[name] ?? ImageFormat(rawValue: name)
        guard !canDecode(format), !["", "unknown"].contains(name) else { return nil }
        return "without a decoder for \(name)"
    }
}
