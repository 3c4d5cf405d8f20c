import FoundationEssentials
import Glibc
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

/// The network options of `get`.
@Suite struct NetworkTests {
    private let work: Workplace
    private let photo: [UInt8]

    init() throws {
        work = try Workplace()
        photo = try Images.encoded(.png)
    }

    @Test("a transient failure is tried again, --trace has a line for each attempt, and --retries 0 tries once")
    func retries() async throws {
        let (photo, count) = (photo, Lock(0))
        let server = try OriginServer { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 1 || number == 3 ? .init(503, headers: [.retryAfter: "0"]) : .init(body: photo)
        }
        defer { server.stop() }
        let first = try await work.run("get", server.url("/a.png").absoluteString, "-o", "out/", "--trace")
        #expect(first.exitCode == 0)
        #expect(first.output.contains("attempt 1: the server answered with status 503"))
        #expect(first.output.contains("attempt 2: status 200"))
        #expect(try await work.run("get", server.url("/b.png").absoluteString, "--retries", "0").exitCode == 1)
        #expect(server.requests.count == 3)
    }

    @Test("headers, user agent, referer and cookies are sent, and cookies are kept in the file that is named alone")
    func fields() async throws {
        let photo = photo
        let server = try OriginServer { request in
            .init(headers: request.path == "/1.png" ? [.setCookie: "seen=1; Path=/"] : [:], body: photo)
        }
        defer { server.stop() }
        let run = try await work.run(
            "get",
            server.url("/1.png").absoluteString,
            server.url("/2.png").absoluteString,
            "--concurrency",
            "1",
            "--header",
            "X-Key: a b",
            "--user-agent",
            "Me/1",
            "--referer",
            "http://e.org/"
        )
        #expect(run.exitCode == 0)
        let key = try #require(HTTPField.Name("X-Key"))
        for request in server.requests {
            #expect(request.headers[key] == "a b" && request.headers[.userAgent] == "Me/1")
            #expect(request.headers[.referer] == "http://e.org/")
        }
        #expect(server.requests.allSatisfy { $0.headers[.cookie] == nil })
        try work.write(Array("127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tabc\n".utf8), to: "cookies")
        try #require(chmod(work.path("cookies"), 0o600) == 0)
        // The images of a file's user are not those of others, however fast they are fetched.
        for rate in ["1000/s", "2000/s"] {
            let url = server.url("/1.png").absoluteString
            let run = try await work.run("get", url, "--overwrite", "--cookies", "cookies", "--rate", rate)
            #expect(run.exitCode == 0)
        }
        #expect(server.requests.last?.headers[.cookie] == "sid=abc" && server.requests.count == 3)
        #expect(try await work.run("get", server.url("/3.png").absoluteString, "--cookies", "cookies").exitCode == 0)
        let sent = server.requests.last?.headers[.cookie]?.components(separatedBy: "; ") ?? []
        #expect(Set(sent) == ["sid=abc", "seen=1"])
        #expect(try await work.run("get", server.url("/4.png").absoluteString, "--cookies", ".").exitCode == 1)
    }

    @Test(
        "a file that was got with other cookies or fields is another image's",
        arguments: [
            ["--cookies", "jar.a", "jar.b"], ["--header", "X-Key: a", "X-Key: b"], ["--user-agent", "A/1", "B/1"],
            ["--referer", "http://a.test/", "http://b.test/"],
        ]
    )
    func otherFields(option: [String]) async throws {
        let photo = photo
        let key = try #require(HTTPField.Name("X-Key"))
        let server = try OriginServer { request in
            let names: [HTTPField.Name] = [.cookie, key, .userAgent, .referer]
            return .init(body: photo + Array(names.map { request.headers[$0] ?? "" }.joined(separator: "|").utf8))
        }
        defer { server.stop() }
        for name in ["a", "b"] {
            try work.write(Array("127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\t\(name)\n".utf8), to: "jar." + name)
            try #require(chmod(work.path("jar." + name), 0o600) == 0)
        }
        var outputs: [String] = []
        for (value, status) in [(1, "done"), (2, "done"), (1, "skipped"), (2, "skipped")] {
            let command = ["get", server.url("/me.png").absoluteString, "-o", "out/", "--json", "--no-cache"]
            let run = try await work.start(command + [option[0], option[value]]).outcome
            let result = try #require(try run.results.first)
            #expect(result.status == status)
            outputs.append(try #require(result.output))
        }
        #expect(outputs[0] == outputs[2] && outputs[1] == outputs[3])
        #expect(try work.read(outputs[0]) != work.read(outputs[1]))
        #expect(server.requests.count == 2)
    }

    @Test(
        "a run with no place for a key goes on with one of the same cookies or fields",
        arguments: [
            ["--cookies", "jar"], ["--header", "X-Key: a"], ["--user-agent", "A/1"], ["--referer", "http://a.test/"],
        ]
    )
    func fieldsWithoutKey(option: [String]) async throws {
        let server = try OriginServer.withImages()
        defer { server.stop() }
        try work.write(Array("127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\ta\n".utf8), to: "jar")
        try #require(chmod(work.path("jar"), 0o600) == 0)
        // A file, in which nobody can make a folder.
        let home = try work.write([], to: "home")
        let command = ["get", server.url("/me.png").absoluteString, "-o", "out/", "--json", "--no-cache"]
        for status in ["done", "skipped"] {
            let run = try await work.start(command + option, settings: ["HOME": home]).outcome
            #expect(try run.results.map(\.status) == [status], "\(run)")
        }
        #expect(Workplace.files(below: work.path("out")) == ["me.png"])
    }

    @Test(
        "--proxy connects through a proxy, in the place of the environment's",
        arguments: [("http", ProxyServer.Kind.http), ("socks5", .socks5), ("socks5h", .socks5)]
    )
    func proxy(scheme: String, kind: ProxyServer.Kind) async throws {
        let server = try OriginServer.withImages()
        defer { server.stop() }
        let routes = ["images.example:80": server.port]
        let proxy = try ProxyServer(kind, routes: routes, user: "me", password: "p w")
        let other = try ProxyServer(routes: routes)
        defer {
            proxy.stop()
            other.stop()
        }
        let environment = ["http_proxy": "http://127.0.0.1:\(other.port)"]
        let option = ["--proxy", "\(scheme)://me:p%20w@127.0.0.1:\(proxy.port)"]
        for (name, options) in [("a", option), ("b", [])] {
            let command = ["get", "http://images.example/\(name).png", "-o", "out/"] + options
            let run = try await work.start(command, settings: environment).outcome
            #expect(run.exitCode == 0, "\(run)")
        }
        #expect(server.requests.map(\.path) == ["/a.png", "/b.png"])
        #expect(other.requests.map(\.target) == ["http://images.example/b.png"])
    }

    @Test(
        "a body that was cut off is continued by the next run or attempt, with a validator",
        arguments: [false, true],
        [false, true]
    )
    func continuedBody(isRetried: Bool, hasCache: Bool) async throws {
        let body = photo + [UInt8](repeating: 7, count: 60_000)
        let server = try OriginServer { request in
            let fields: HTTPFields = [.eTag: "\"1\"", .acceptRanges: "bytes"]
            guard let range = request.headers[.range], let start = Int(range.dropFirst(6).prefix { $0 != "-" }) else {
                let head =
                    "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nAccept-Ranges: bytes\r\nContent-Length: \(body.count)\r\n\r\n"
                return .init(steps: [.bytes(Array(head.utf8) + body.prefix(40_000)), .close])
            }
            var headers = fields
            headers[.contentRange] = "bytes \(start)-\(body.count - 1)/\(body.count)"
            return .init(206, headers: headers, body: Array(body[start...]))
        }
        defer { server.stop() }
        let command =
            ["get", server.url("/a.png").absoluteString, "-o", "a.png", "--retries", isRetried ? "1" : "0"]
            + (hasCache ? [] : ["--no-cache"])
        if !isRetried { #expect(try await work.start(command).outcome.exitCode == 1) }
        #expect(try await work.start(command).outcome.exitCode == 0)
        #expect(try work.read("a.png") == body)
        #expect(server.requests.count == 2)
        #expect(server.requests.last?.headers[.range] == "bytes=40000-")
        #expect(server.requests.last?.headers[.ifRange] == "\"1\"")
    }

    @Test("a host that fails ten times in a row is left for last")
    func failingHost() async throws {
        let photo = photo
        let server = try OriginServer { _ in .init(body: photo) }
        defer { server.stop() }
        let port = try UnansweredPort()
        let dead = (0..<40).map { "http://127.0.0.1:\(port.number)/\($0).png" }
        let live = (0..<5).map { server.url("/\($0).png").absoluteString }
        try work.write(Array((dead + live).map { $0 + "\n" }.joined().utf8), to: "list")
        let run = try await work.run("get", "--from", "list", "-o", "out/", "--json", "--retries", "1")
        #expect(run.exitCode == 1)
        let order = try run.records(GetLine.self).map { $0.status == "done" }
        #expect(order.count == 45)
        let lastDone = try #require(order.lastIndex(of: true))
        #expect(lastDone < 30, "those of the dead host wait")
        withExtendedLifetime(port) {}
    }

    @Test("files that are there and images of the cache say nothing of their host, which is left for last all the same")
    func failingHostWithFiles() async throws {
        let photo = photo
        let server = try OriginServer { request in
            request.path.hasPrefix("/new") ? .init(503) : .init(headers: [.cacheControl: "max-age=1000"], body: photo)
        }
        let other = try OriginServer { _ in .init(body: photo) }
        defer {
            server.stop()
            other.stop()
        }
        let there = (0..<15).map { server.url("/\($0).png").absoluteString }
        let command = ["get", "--from", "list", "-o", "out/", "--json", "--retries", "0", "--concurrency", "1"]
        try work.write(Array(there.joined(separator: "\n").utf8), to: "list")
        #expect(try await work.start(command).outcome.exitCode == 0)
        for index in 0..<7 { try #require(unlink(work.path("out/\(index).png")) == 0) }
        let new = there.indices.map { server.url("/new/\($0).png").absoluteString }
        let lines = zip(new, there).flatMap { [$0, $1] } + [other.url("/last.png").absoluteString]
        try work.write(Array(lines.joined(separator: "\n").utf8), to: "list")
        let order = try await work.start(command).outcome.records(GetLine.self).map(\.index)
        #expect(order.count == 31)
        #expect(order.last != 30, "the other host's image does not come last")
    }
}
