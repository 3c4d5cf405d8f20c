/// What the name of a file says about it.
enum ImageFileName {
    /// The extensions of files that are taken for images in a folder. A file that is named itself is taken in any case.
    private static let imageExtensions: Set<String> = [
        "jpg", "jpeg", "jpe", "jfif", "png", "apng", "gif", "webp", "avif", "avifs", "bmp", "dib", "ico", "cur", "qoi",
        "heic", "heif", "jxl", "tif", "tiff", "svg", "svgz",
    ]

    /// Returns whether the extension is that of a format that is read.
    static func isImage(_ name: String) -> Bool { fileExtension(of: name).map(imageExtensions.contains) ?? false }

    /// Returns whether the extension is that of a list of links.
    static func isLinkList(_ name: String) -> Bool { fileExtension(of: name) == "txt" }

    private static func fileExtension(of name: String) -> String? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        return name[name.utf8.index(after: dot)...].lowercased()
    }
}
