import Glibc
import HalcyonTesting
import Testing

@Suite struct BadInputTests {
    /// Something a server sends, and what the command must say of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let response: OriginServer.Response
        let stage: String
        let reason: String
    }

    static let cases: [Case] = [
        Case(
            testDescription: "a redirect to a file",
            response: .redirect(to: "file:///etc/passwd"),
            stage: "load",
            reason: "redirectRefused"
        ),
        Case(testDescription: "404", response: .init(404), stage: "load", reason: "status"),
        Case(
            testDescription: "a body cut short",
            response: .init(steps: [
                .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n\u{FF}".utf8)), .close,
            ]),
            stage: "load",
            reason: "connectionLost"
        ),
        Case(
            testDescription: "a page instead of an image",
            response: .init(body: Array("<!DOCTYPE html><html><body>Log in</body></html>".utf8)),
            stage: "decode",
            reason: "notAnImage"
        ),
        Case(testDescription: "a redirect to nowhere", response: .init(302), stage: "load", reason: "status"),
        Case(testDescription: "no body", response: .init(), stage: "load", reason: "emptyBody"),
        Case(
            testDescription: "30,000 × 30,000 pixels",
            response: .init(body: Images.pngHeader(width: 30_000, height: 30_000)),
            stage: "decode",
            reason: "limitExceeded"
        ),
        Case(
            testDescription: "a damaged image",
            response: .init(body: Images.pngHeader(width: 30, height: 30)),
            stage: "decode",
            reason: "corrupt"
        ),
    ]

    private let work: Workplace

    init() throws { work = try Workplace() }

    @Test("bad input is named by stage and reason, and leaves nothing behind", arguments: cases)
    func badInput(input: Case) async throws {
        let server = try OriginServer { _ in input.response }
        defer { server.stop() }
        let url = server.url("/a.png").absoluteString
        let run = try await work.run("get", url, "--json", "-o", "out/", "--sheet", "sheet.png")
        #expect(run.exitCode == 1 && run.error.isEmpty)
        let error = try #require(try run.results.first?.error)
        #expect(error.stage == input.stage && error.reason == input.reason)
        #expect(!error.message.isEmpty)
        try await expectNothingLeft()

        let text = try await work.run("get", url)
        #expect(text.exitCode == 1)
        #expect(text.error.contains(url) && text.error.contains(error.message))
        #expect(text.output.contains("\(input.stage): \(input.reason)"))
    }

    @Test("a host that does not answer is named")
    func unreachableHost() async throws {
        let port = try UnansweredPort()
        let url = "http://127.0.0.1:\(port.number)/a.png"
        let run = try await work.run("get", url, "--json", "-o", "out/")
        #expect(run.exitCode == 1)
        #expect(try run.results[0].error?.stage == "load")
        #expect(try run.results[0].error?.reason == "cannotConnect")
        withExtendedLifetime(port) {}
        try await expectNothingLeft()
    }

    @Test(
        "what is no image source is named",
        arguments: [
            ("ftp://127.0.0.1/a", "source", "invalidURL"), ("http://[", "source", "invalidURL"),
            ("missing.png", "load", "file"), (".", "load", "file"), ("data:image/png;base64,%%%", "load", "provider"),
        ]
    )
    func noSource(text: String, stage: String, reason: String) async throws {
        for command in ["get", "info"] {
            let run = try await work.run(command, text, "--json")
            #expect(run.exitCode == 1)
            struct Line: Decodable { let error: GetLine.Failure }
            let error = try #require(try run.records(Line.self).first?.error)
            #expect(error.stage == stage && error.reason == reason, "\(run.output)")
        }
    }

    @Test(
        "a failure says what is to be done",
        arguments: [
            ("www.example.org/a.png", "No such file or directory; a URL begins with https:// or http://"),
            ("127.0.0.1:80/a.png", "No such file or directory; a URL begins with https:// or http://"),
            ("folder/a.png", "No such file or directory"), ("a.png", "No such file or directory"),
            ("./a.b/a.png", "No such file or directory"), ("data:", "the data URL has no comma before its body"),
            ("data:image/png,", "the data URL has no bytes"), ("data:;base64,", "the data URL has no bytes"),
        ]
    )
    func advice(text: String, reason: String) async throws {
        for command in [["get"], ["info"], ["convert", "--format", "png"]] {
            let run = try await work.start(command + [text] + (command[0] == "convert" ? ["b.png"] : [])).outcome
            #expect(run.exitCode == 1)
            #expect(run.error == "halcyon: Loading \(text) failed: \(reason)\n", "\(command)")
        }
    }

    @Test(
        "a proxy of the environment that cannot be understood is named, with its variable",
        arguments: ["::::", "foo bar", "ftp://proxy:1", "http://me:secret@:1"]
    )
    func proxy(text: String) async throws {
        let command = ["get", "http://images.example/a.png"]
        let run = try await work.start(command, settings: ["http_proxy": text]).outcome
        #expect(run.exitCode == 1 && !run.error.contains("secret"))
        let shown = text.split(separator: "@").last ?? ""
        #expect(run.error.contains("http_proxy is “\(shown)”, which is no URL of"), "\(run.error)")
    }

    @Test("a proxy that is given and cannot be understood is named without its password")
    func givenProxy() async throws {
        let run = try await work.run("get", "http://images.example/a.png", "--proxy", "ftp://me:secret@proxy:1")
        #expect(run.exitCode != 0 && run.error.contains("is no proxy") && !run.error.contains("secret"), "\(run.error)")
    }

    @Test("a cache folder that cannot be used slows nothing down but earns a warning")
    func unreadableCache() async throws {
        let photo = try Images.encoded(.png)
        let server = try OriginServer { _ in .init(body: photo) }
        defer { server.stop() }
        try work.write([], to: "file")
        let url = server.url("/a.png").absoluteString
        let run = try await work.run("get", url, "--json", "--cache-dir", "file", "-o", "a.png")
        #expect(run.exitCode == 0)
        #expect(try run.results.map(\.source) == ["network"])
        #expect(run.error.hasPrefix("halcyon: ") && run.error.contains("file"))
        #expect(run.error.split(separator: "\n").count == 1, "\(run.error)")
        #expect(try work.read("a.png") == photo)
        let stats = try await work.run("cache", "stats", "--cache-dir", "file")
        #expect(stats.exitCode == 1 && stats.error.contains("file"))
    }

    @Test("an output folder that cannot be made fails every image, before anything is transferred")
    func unwritableFolder() async throws {
        let server = try OriginServer { _ in .init(404) }
        defer { server.stop() }
        try work.write([], to: "file")
        let urls = [server.url("/a").absoluteString, server.url("/b").absoluteString]
        let run = try await work.run("get", urls[0], urls[1], "--json", "-o", "file/out/")
        #expect(run.exitCode == 1)
        #expect(try run.results.map(\.url) == urls)
        #expect(try run.results.allSatisfy { $0.error?.stage == "store" && $0.error?.reason == "file" })
        #expect(server.requests.isEmpty)
        let text = try await work.run("get", urls[0], "-o", "file/out/")
        #expect(text.exitCode == 1)
        #expect(text.error == "halcyon: Storing the results failed: file: Not a directory\n")
    }

    @Test("a file that cannot be written fails its image")
    func unwritableFile() async throws {
        let photo = try Images.encoded(.png)
        let server = try OriginServer { _ in .init(body: photo) }
        defer { server.stop() }
        let run = try await work.run(
            "get",
            server.url("/a.png").absoluteString,
            "--json",
            "-o",
            "missing/a.png",
            "--repeat",
            "2"
        )
        #expect(run.exitCode == 1)
        #expect(try run.results.map { $0.error?.stage } == ["store", "store"])
        #expect(Workplace.files(below: work.folder).isEmpty)
    }

    @Test("lost results are a failure")
    func fullStandardOutput() async throws {
        let photo = try Images.encoded(.png)
        try work.write(photo, to: "a.png")
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        defer { close(full) }
        let run = try await work.start(["info", "a.png", "--json"], output: full).outcome
        #expect(run.exitCode == 1)
        #expect(run.error == "halcyon: Writing the results failed: No space left on device\n")
    }

    private func expectNothingLeft() async throws {
        #expect(Workplace.files(below: work.folder).isEmpty)
        let list = try await work.run("cache", "list", "--json")
        #expect(list.exitCode == 0 && list.output.isEmpty)
        let verification = try await work.run("cache", "verify")
        #expect(verification.exitCode == 0, "\(verification.output)")
    }
}
