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

    @Test(
        "A file that cannot be read is named with its setting and the system's reason",
        arguments: [
            (["--key-file", "/none/key"], "“key-file” cannot be read, /none/key: No such file or directory"),
            (["--key-file", "/"], "“key-file” cannot be read, /: Is a directory"),
            (["--config", "/none/a.json"], "“config” cannot be read, /none/a.json: No such file or directory"),
            (["--config", "/proc/self/comm"], "“config” is not a JSON object of settings: /proc/self/comm"),
        ]
    )
    func unreadableFiles(_ arguments: [String], _ reason: String) {
        let error = #expect(throws: SettingsError.self) {
            try ServerSettings(arguments: arguments, environment: [:])
        }
        #expect(error?.description.hasSuffix(reason) == true)
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
            ["--origin-headers-file", "key"], ["--formats", "jpeg,webq"], ["--qualities", "webq=50"],
            ["--allowed-addresses", "10.1.0.0/33"], ["--root-dialect", "imgproxy"], ["--root-dialect", "thumbor"],
            ["--imgproxy-key-file", "empty"], ["--thumbor-key-file", "empty"], ["--config", "none"],
            ["--presets", "a=w:1;a=w:2"], ["--presets", "a=wide:1"], ["--presets", "a=w:1/width:2"],
            ["--presets", "a=preset:b;b=preset:a"], ["--presets", "a=preset:b"], ["--presets", "a=w:99999"],
            ["--presets", "a=watermark:1"],
        ]
    )
    func refused(_ arguments: [String]) {
        #expect(throws: SettingsError.self) {
            try ServerSettings(arguments: ["--key-file", "key"] + arguments, environment: [:]) { path in
                switch path {
                case "key": Self.key
                case "empty": "\n"
                default: throw SettingsError("no file")
                }
            }
        }
    }

    @Test("A preset of imgproxy's options is one where its URLs are answered")
    func imgproxyPresets() throws {
        #expect(throws: SettingsError.self) { try self.settings("--presets", "a=rs:fill:1:2") }
        let settings = try self.settings("--presets", "a=rs:fill:1:2;b=fit:fill/w:3", "--imgproxy-allow-unsigned")
        #expect(settings.urls.presets.count == 2)
    }

    @Test("Key files without a key are no error where URLs need no signature")
    func emptyKeys() throws {
        let files = ["empty": "\n"]
        let settings = try settings("--thumbor-key-file", "empty", "--thumbor-allow-unsigned", files: files)
        #expect(settings.thumbor?.allowsUnsigned == true)
    }

    @Test("A value of the wrong type in the file of settings is named")
    func types() throws {
        for (text, name) in [
            ("{\"port\": 1.5}", "port"), ("{\"widths\": [[1]]}", "widths"), ("{\"host\": null}", "host"),
        ] {
            let error = #expect(throws: SettingsError.self) {
                try settings("--config", "settings", files: ["settings": text])
            }
            #expect(error?.description.contains("“\(name)") == true, "\(text)")
        }
        let error = #expect(throws: SettingsError.self) { try settings("--config", "missing.json") }
        #expect(error?.description.contains("missing.json") == true)
    }

    @Test("Relative paths are those from the working folder")
    func paths() throws {
        let settings = try settings(
            "--cache-folder",
            "cache",
            "--watermark-file",
            "/a.png",
            "--error-image-file",
            "b.png"
        )
        let folder = FileManager.default.currentDirectoryPath
        #expect(settings.cacheFolder == folder + "/cache")
        #expect(settings.watermarkFile == "/a.png" && settings.errorImageFile == folder + "/b.png")
    }

    @Test("A variable with the prefix of settings that is none is told of, and no error")
    func unknownVariables() throws {
        let environment = ["HALCYON_PROT": "1", "HALCYON_PORT": "2", "HALCYON_PURGE_TOKEN": Self.key, "PROT": "3"]
        #expect(try settings(environment: environment).unknownVariables == ["HALCYON_PROT"])
    }

    /// A value other than the default for each setting that is no secret's file.
    private static let values: [String: String] = [
        "host": "::", "port": "1", "allow-unsigned": "true", "presets": "a=w:1", "presets-only": "true",
        "root-dialect": "thumbor", "imgproxy-signature-size": "16", "imgproxy-allow-unsigned": "true",
        "thumbor-allow-unsigned": "true", "negotiate": "false", "allowed-sources": "https://a.test",
        "base-url": "https://a.test", "local-root": "/", "allowed-addresses": "10.1.0.0/16", "cache-folder": "/a",
        "cache-bytes": "1", "memory-bytes": "1", "engine": "redis://a.test", "max-source-bytes": "1",
        "max-source-pixels": "1", "max-frames": "1", "max-output-bytes": "1", "max-output-side": "1",
        "request-seconds": "1", "concurrency": "1", "queue": "1", "idle-seconds": "1", "connections": "1",
        "formats": "png", "qualities": "avif=1", "widths": "1", "watermark-file": "/a", "error-image-file": "/a",
        "default-max-age": "1", "partial-max-age": "1", "stale-while-revalidate": "1", "stale-if-error": "1",
        "allow-origin": "*", "metrics": "false", "page": "true", "isolation": "none",
    ]

    @Test("Each setting is read from its variable of the environment as from its flag")
    func variables() throws {
        let secrets = ServerSettings.secretNames.map { $0 + "-file" }
        #expect(Set(Self.values.keys).union(secrets) == ServerSettings.names)
        // Sets and dictionaries have no order.
        func text(_ settings: ServerSettings) -> [Substring] {
            var text = ""
            dump(settings, to: &text)
            return text.split { ",[] \n".contains($0) }.sorted()
        }
        let needed = ["page": ["--allow-unsigned"], "root-dialect": ["--thumbor-allow-unsigned"]]
        for (name, value) in Self.values {
            let others =
                ["--key-file=key", "--imgproxy-allow-unsigned"].filter { $0 != "--" + name } + (needed[name] ?? [])
            func settings(_ arguments: [String], _ environment: [String: String]) throws -> [Substring] {
                text(try ServerSettings(arguments: arguments, environment: environment) { _ in Self.key })
            }
            let variable = ["HALCYON_" + name.replacing("-", with: "_").uppercased(): value]
            let changed = try settings(others, variable)
            #expect(try changed == settings(others + ["--\(name)=\(value)"], [:]), "\(name)")
            // No description of keys says how long their signatures are.
            if name != "imgproxy-signature-size" { #expect(try changed != settings(others, [:]), "\(name)") }
        }
    }

    @Test("A folder of the cache that cannot be made or written to is refused", arguments: ["file", "file/cache"])
    func cacheFolder(_ path: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cache-\(UInt64.random(in: 0 ... .max))")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: folder + "/file"))
        let settings = try settings("--cache-folder", folder + "/" + path)
        #expect(throws: SettingsError.self) {
            try settings.makePipeline(metrics: PrometheusMetrics(), tracer: TraceContextTracer { _ in })
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
