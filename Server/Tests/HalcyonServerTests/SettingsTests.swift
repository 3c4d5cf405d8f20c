import FoundationEssentials
import Halcyon
import HalcyonTesting
import Testing

@testable import HalcyonServer
@testable import ServerURLs

@Suite("The settings of a server")
struct SettingsTests {
    private static let key = String(repeating: "5a", count: 32)

    private func settings(
        _ arguments: String...,
        environment: [String: String] = [:],
        files: [String: String] = [:]
    ) throws -> ServerSettings {
        let files = ["key": Self.key].merging(files) { $1 }
        return try ServerSettings(arguments: ["--key-file", "key"] + arguments, environment: environment) { path in
            guard let text = files[path] else { throw SettingsError("no file") }
            return text
        }
    }

    @Test("Flags go before the environment, and that before the file")
    func precedence() throws {
        let files = [
            "settings":
                #"{"port": 1, "host": "file", "queue": 7, "presets": {"a": "w:1", "b": "w:2/q:5"}, "widths": [1, 2]}"#
        ]
        let environment = ["HALCYON_PORT": "2", "HALCYON_HOST": "environment", "HALCYON_CONFIG": "settings"]
        let settings = try settings("--port=3", environment: environment, files: files)
        #expect(settings.port == 3 && settings.host == "environment" && settings.limits.queue == 7)
        #expect(settings.urls.presets == ["a": "w:1", "b": "w:2/q:5"])
        #expect(settings.widths == [1, 2])
    }

    @Test("A secret in the arguments or in the file of settings is refused, and no error repeats it")
    func secrets() throws {
        for name in ServerSettings.secretNames.sorted() {
            let error = #expect(throws: SettingsError.self) { try settings("--\(name)", "0123456789abcdef") }
            #expect(error?.description.contains("0123456789abcdef") == false)
            #expect(throws: SettingsError.self) {
                try settings("--config", "settings", files: ["settings": "{\"\(name)\": \"0123456789abcdef\"}"])
            }
        }
        let error = #expect(throws: SettingsError.self) { try settings(files: ["key": "tooshort"]) }
        #expect(error?.description.contains("tooshort") == false)
    }

    @Test("An engine has its password from a file, and is refused with one in its URL")
    func engine() throws {
        let files = ["password": "of the engine\n", "secret": "sixteen characters"]
        let settings = try settings(
            "--engine",
            "redis://halcyon@cache.test:6380",
            "--engine-password-file",
            "password",
            "--engine-key-file",
            "secret",
            files: files
        )
        #expect(settings.engine?.user == "halcyon" && settings.engine?.password == "of the engine")
        #expect(settings.engineKey?.equals("sixteen characters") == true)
        var text = ""
        dump(settings, to: &text)
        for description in [text, "\(settings)", String(reflecting: settings)] {
            #expect(!description.contains("of the engine") && !description.contains("sixteen characters"))
        }
        for url in ["redis://halcyon:hidden@cache.test", "http://cache.test", "redis://"] {
            let error = #expect(throws: SettingsError.self) { try self.settings("--engine", url) }
            #expect(error?.description.contains("hidden") == false)
        }
    }

    @Test("An engine needs a key of its own where the key of URLs is of one run")
    func engineOfOneRun() throws {
        let arguments = ["--engine", "redis://cache.test"]
        #expect(throws: SettingsError.self) {
            try ServerSettings(arguments: arguments, environment: ["HALCYON_KEY": Self.key], needsKey: false)
        }
        let environment = ["HALCYON_ENGINE_KEY": "sixteen characters"]
        let settings = try ServerSettings(arguments: arguments, environment: environment, needsKey: false)
        #expect(settings.engine != nil)
    }

    @Test("No description of settings has a secret in it")
    func descriptions() throws {
        let settings = try settings(
            "--purge-token-file",
            "token",
            "--origin-headers-file",
            "headers",
            files: [
                "token": "a token of the tests\n",
                "headers": #"{"origin.test": {"Authorization": "Bearer a token of the origin"}}"#,
            ]
        )
        #expect(settings.purgeToken?.equals("a token of the tests") == true)
        var text = ""
        dump(settings, to: &text)
        for description in [text, "\(settings)", String(reflecting: settings)] {
            #expect(!description.contains("a token"))
            // The bytes of the key are 90 each.
            #expect(!description.contains("5a5a") && !description.contains("- 90") && !description.contains("90, 90"))
        }
    }

    @Test("Keys come from the environment, too")
    func environment() throws {
        let settings = try ServerSettings(arguments: [], environment: ["HALCYON_KEY": Self.key])
        #expect(!settings.urls.keys.isEmpty)
    }

    @Test("A server that would answer no URL does not start, nor one that answers all of them with a page for signing")
    func noKey() {
        #expect(throws: SettingsError.self) { try ServerSettings(arguments: [], environment: [:]) }
        #expect(throws: SettingsError.self) { try settings("--page") }
        #expect(throws: Never.self) { try settings("--page", "--allow-unsigned") }
    }

    @Test(
        "A value that a setting does not take, and a name that does not exist, are refused",
        arguments: [
            ["--port", "65536"], ["--port", "x"], ["--metrics", "maybe"], ["--root-dialect", "imagor"],
            ["--presets", "a"],
            ["--widths", "0"], ["--qualities", "avif=0"], ["--local-root", "/none"], ["--base-url", "photos"],
            ["--allowed-sources", "good.test"], ["--colour", "red"], ["port"], ["--key-file", "none"],
            ["--origin-headers-file", "key"], ["--formats", "jpeg,webq"],
        ]
    )
    func refused(_ arguments: [String]) {
        #expect(throws: SettingsError.self) {
            try ServerSettings(arguments: ["--key-file", "key"] + arguments, environment: [:]) { path in
                guard path == "key" else { throw SettingsError("no file") }
                return Self.key
            }
        }
    }

    @Test("The formats are those of the list, JPEG under both of its names")
    func formats() throws {
        let settings = try settings("--formats", "webp,jpg,gif")
        #expect(settings.offers == ["webp", "jpeg"])
        #expect(settings.urls.formats == ["webp": "webp", "jpeg": "jpeg", "jpg": "jpeg", "gif": "gif"])
    }

    @Test("The other dialects are on with their keys")
    func dialects() throws {
        let files = ["imgproxy": "aabb:ccdd", "thumbor": "MY_SECURE_KEY"]
        let settings = try settings(
            "--imgproxy-key-file",
            "imgproxy",
            "--thumbor-key-file",
            "thumbor",
            "--imgproxy-signature-size",
            "16",
            files: files
        )
        #expect(settings.imgproxy?.keys.signatureLength == 16 && settings.thumbor?.keys.isEmpty == false)
        #expect(try self.settings().imgproxy == nil)
    }

    @Test("Images are decoded in confined processes unless the settings say otherwise")
    func isolation() throws {
        #expect(try settings().isolation == .required([.process, .systemCalls]))
        #expect(try settings("--isolation", "preferred").isolation == .preferred)
        #expect(try settings("--isolation", "none").isolation == .none)
        #expect(throws: SettingsError.self) { try settings("--isolation", "some") }
    }

    @Test("The reference page has each setting, and no other")
    func documented() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Documentation/Configuration.md"
        )
        let text = try String(contentsOf: file, encoding: .utf8)
        let table = try #require(text.split(separator: "\n## Paths")[0].split(separator: "| setting |").last)
        let names = table.split(separator: "\n").compactMap { $0.prefixMatch(of: /\| `([a-z-]+)` \|/)?.1 }.map(
            String.init
        )
        #expect(Set(names) == ServerSettings.names)
        #expect(names.count == Set(names).count)
    }
}
