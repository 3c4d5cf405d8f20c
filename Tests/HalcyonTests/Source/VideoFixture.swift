import FoundationEssentials

/// Videos that FFmpeg wrote; see `Scripts/video-fixtures`.
enum VideoFixture {
    /// Returns a file.
    static func data(_ name: String) -> Data {
        texts[name].flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) } ?? Data()
    }
}
