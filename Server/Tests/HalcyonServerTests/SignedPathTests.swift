import Testing

@testable import HalcyonServer
@testable import ServerURLs

@Suite("Signing on the command line")
struct SignedPathTests {
    private static let key = String(repeating: "5a", count: 32)

    private func path(_ arguments: String...) throws -> String {
        let settings =
            #"{"key-file": "key", "presets": {"thumb": "w:20"}, "root-dialect": "imgproxy", "imgproxy-allow-unsigned": true}"#
        return try ServerSettings.signedPath(arguments, environment: [:]) { path in
            switch path {
            case "key": Self.key
            case "settings": settings
            default: throw SettingsError("no file")
            }
        }
    }

    @Test("A path is signed by the key of a file, which may be named in both forms of flags")
    func signed() throws {
        let path = try path("--key-file", "key", "w:20", "https://a.test/b.jpg")
        #expect(path.hasSuffix("/w:20/plain/https://a.test/b.jpg"))
        #expect(try self.path("--key-file=key", "w:20", "https://a.test/b.jpg") == path)
        var rules = URLRules { 0 }
        rules.keys = try SigningKeys(hexLines: Self.key)
        #expect(try HalcyonURL(path: path).plan(by: rules).size.width == .pixels(20))
    }

    @Test("Settings of a file say which presets there are, and where the server's own URLs begin")
    func settings() throws {
        let path = try path("--config", "settings", "preset:thumb", "https://a.test/b.jpg")
        #expect(path.hasPrefix("/halcyon/") && path.hasSuffix("/preset:thumb/plain/https://a.test/b.jpg"))
    }

    @Test(
        "What the server would refuse, and a missing source, is not signed",
        arguments: [
            [], ["w:20"], ["wide:20", "https://a.test/b.jpg"], ["w:20", "w:30", "https://a.test/b.jpg"],
            ["preset:none", "https://a.test/b.jpg"], ["w:20", "grayscale"], ["w:99999", "https://a.test/b.jpg"],
        ]
    )
    func refused(_ arguments: [String]) {
        #expect(throws: SettingsError.self) {
            try ServerSettings.signedPath(["--key-file", "key"] + arguments, environment: [:]) { _ in Self.key }
        }
    }
}
