import Halcyon
import HalcyonTesting
import Testing

@Suite struct GetTests {
    private let work: Workplace
    private let photo: [UInt8]

    init() throws {
        work = try Workplace()
        photo = try Images.encoded(.jpeg)
    }

    private func server() throws -> OriginServer {
        let photo = photo
        return try OriginServer { $0.path.hasPrefix("/missing") ? .init(404) : .init(body: photo) }
    }

    @Test("an image comes from the network, from disk in the next process, and from memory in the second round")
    func sources() async throws {
        let server = try server()
        defer { server.stop() }
        let url = server.url("/a.jpg").absoluteString
        let cold = try await work.run("get", url, "--json", "--repeat", "2")
        #expect(cold.exitCode == 0)
        #expect(try cold.results.map(\.source) == ["network", "memory"])
        let warm = try await work.run("get", url, "--json", "--repeat", "2")
        #expect(try warm.results.map(\.source) == ["disk", "memory"])
        #expect(server.requestCount("/a.jpg") == 1)
        #expect(cold.error.isEmpty && warm.error.isEmpty)
    }

    @Test("a contact sheet leaves the memory cache to the rounds that follow")
    func sourcesWithSheet() async throws {
        let server = try server()
        defer { server.stop() }
        let url = server.url("/a.jpg").absoluteString
        let run = try await work.run("get", url, "--json", "--repeat", "3", "--sheet", "sheet.png")
        #expect(run.exitCode == 0)
        #expect(try run.results.map(\.source) == ["network", "memory", "memory"])
        #expect(try Images.info(work.read("sheet.png")).format == .png)
    }

    @Test("--stats tells what the caches have saved, as lines and as an object")
    func statistics() async throws {
        let server = try server()
        defer { server.stop() }
        let url = server.url("/a.jpg").absoluteString
        let cold = try await work.run("get", url, "--stats", "--repeat", "2")
        #expect(cold.exitCode == 0)
        #expect(cold.output.contains("Memory           1 hit\n"))
        #expect(cold.output.contains("Network          1 transfer, "))
        #expect(cold.output.contains("Disk, originals  0 hits of 1, 0 B not received\n"))
        let warm = try await work.run("get", url, "--stats", "--json")
        let last = try #require(warm.output.split(separator: "\n").last)
        #expect(last.hasPrefix("{\"statistics\":{"))
        #expect(last.contains("\"originalHits\":1,") && last.contains("\"savedBytes\":\(photo.count),"))
        #expect(last.contains("\"transfers\":0"))
    }

    @Test("a result has exactly the promised fields, and the size of the result")
    func fields() async throws {
        let server = try server()
        defer { server.stop() }
        let url = server.url("/a.jpg").absoluteString
        let run = try await work.run(
            "get",
            url,
            server.url("/missing").absoluteString,
            "--json",
            "--resize",
            "20x20",
            "-o",
            "out/"
        )
        let expected: Set = [
            "index", "url", "status", "source", "bytes", "format", "width", "height", "originalWidth", "originalHeight",
            "partial", "output", "outputBytes", "milliseconds",
        ]
        let loaded = try #require(run.lines.firstIndex { $0.contains("\"index\":0") })
        #expect(try run.fields(line: loaded) == expected)
        #expect(try run.fields(line: 1 - loaded) == ["index", "url", "status", "error"])
        let result = try #require(try run.results.first)
        #expect(result.url == url && result.bytes == photo.count && result.format == "jpeg")
        #expect(result.width == 20 && result.height == 15)
        #expect(result.output == "out/a.jpg")
        #expect(result.milliseconds?["total"] != nil && result.milliseconds?.values.allSatisfy { $0 >= 0 } == true)
        let info = try Images.info(try work.read("out/a.jpg"))
        #expect(info.format == .jpeg && info.size == PixelSize(20, 15))
    }

    @Test("results have their place among the arguments, and one that fails stops no other")
    func failureAmongOthers() async throws {
        let server = try server()
        defer { server.stop() }
        let urls = ["/1.jpg", "/missing.jpg", "/2.jpg"].map { server.url($0).absoluteString }
        let run = try await work.run("get", urls[0], urls[1], urls[2], "--json")
        #expect(run.exitCode == 1)
        let results = try run.results
        #expect(results.map(\.url) == urls)
        #expect(results.map { $0.error == nil } == [true, false, true])
        #expect(results[1].error?.stage == "load" && results[1].error?.reason == "status")
        #expect(results[1].error?.message.contains("404") == true)

        let text = try await work.run("get", urls[0], urls[1], "--repeat", "2")
        #expect(text.exitCode == 1)
        #expect(text.error.split(separator: "\n").count == 2)
        #expect(text.error.contains("Loading \(urls[1]) failed: the server answered with status 404"))
    }

    @Test(
        "a URL given twice is transferred once",
        arguments: [[], ["--concurrency", "1"], ["--no-cache", "--concurrency", "1"], ["--refresh"]]
    )
    func duplicates(options: [String]) async throws {
        let server = try server()
        defer { server.stop() }
        let url = server.url("/a.jpg").absoluteString
        let run = try await work.start(["get", url, url, "--json", "-o", "out/"] + options).outcome
        #expect(run.exitCode == 0)
        #expect(try run.results.map(\.url) == [url, url])
        #expect(try run.results.map(\.output) == ["out/a.jpg", "out/a.jpg"])
        #expect(server.requestCount("/a.jpg") == 1)
        #expect(Workplace.files(below: work.folder) == ["out/a.jpg"])
    }

    @Test("--cache-only fails where nothing is cached, and answers from disk where something is")
    func cacheOnly() async throws {
        let server = try server()
        defer { server.stop() }
        let url = server.url("/a.jpg").absoluteString
        let before = try await work.run("get", url, "--json", "--cache-only")
        #expect(before.exitCode == 1)
        #expect(try before.results[0].error?.reason == "notCached")
        #expect(try before.results[0].error?.stage == "cache")
        _ = try await work.run("get", url)
        let after = try await work.run("get", url, "--json", "--cache-only")
        #expect(after.exitCode == 0)
        #expect(try after.results[0].source == "disk")
        #expect(server.requestCount("/a.jpg") == 1)
    }

    @Test("--no-cache leaves nothing in the cache")
    func noCache() async throws {
        let server = try server()
        defer { server.stop() }
        let url = server.url("/a.jpg").absoluteString
        for _ in 0..<2 {
            let run = try await work.run("get", url, "--json", "--no-cache")
            #expect(try run.results.map(\.source) == ["network"])
        }
        #expect(server.requestCount("/a.jpg") == 2)
        #expect(Workplace.files(below: work.cacheHome).isEmpty)
    }

    @Test("--refresh transfers again and stores the result")
    func refresh() async throws {
        let server = try server()
        defer { server.stop() }
        let url = server.url("/a.jpg").absoluteString
        _ = try await work.run("get", url)
        let refreshed = try await work.run("get", url, "--json", "--refresh")
        #expect(try refreshed.results.map(\.source) == ["network"])
        #expect(server.requestCount("/a.jpg") == 2)
        let after = try await work.run("get", url, "--json")
        #expect(try after.results.map(\.source) == ["disk"])
    }

    @Test("--refresh fails where the server cannot be asked")
    func refreshOffline() async throws {
        let server = try server()
        let url = server.url("/a.jpg").absoluteString
        #expect(try await work.run("get", url, "-o", "out/").exitCode == 0)
        server.stop()
        let refreshed = try await work.run("get", url, "-o", "out/", "--json", "--refresh", "--retries", "0")
        #expect(refreshed.exitCode == 1)
        #expect(try refreshed.results.map(\.status) == ["failed"])
        #expect(Workplace.files(below: work.path("out")) == ["a.jpg"])
    }

    @Test("paths, file URLs and data URLs are images too")
    func localSources() async throws {
        let path = try work.write(photo, to: "ä b.jpg")
        let data = "data:image/jpeg;base64," + base64(photo)
        let run = try await work.run(
            "get",
            "ä b.jpg",
            "file://\(work.folder)/%C3%A4%20b.jpg",
            path,
            data,
            "--json",
            "-o",
            "out"
        )
        #expect(run.exitCode == 0)
        #expect(try run.results.map(\.source).filter { $0 == "data" }.count == 1)
        #expect(try run.results.allSatisfy { $0.width == 40 && $0.height == 30 })
        // The path is the same image in all three forms.
        let outputs = try run.results.compactMap(\.output)
        #expect(outputs == ["out/ä b.jpg", "out/ä b.jpg", "out/ä b.jpg", "out/data.jpg"])
        #expect(Workplace.files(below: work.folder).filter { $0 != "ä b.jpg" } == Set(outputs).sorted())
        for name in Workplace.files(below: work.path("out")) {
            #expect(try work.read("out/\(name)") == photo)
        }
    }

    @Test("without --json there is a table on the standard output, and nothing else anywhere")
    func table() async throws {
        let server = try server()
        defer { server.stop() }
        let run = try await work.run("get", server.url("/a.jpg").absoluteString)
        #expect(run.exitCode == 0 && run.error.isEmpty)
        #expect(run.lines.first?.hasPrefix("Image ") == true)
        #expect(run.output.contains("a.jpg") && run.output.contains("40×30") && run.output.contains("1 from network"))
        #expect(!run.output.contains("\u{1B}") && !run.output.contains("\r"))
    }

    @Test("--trace shows the phases of a transfer, beside the results of --json")
    func trace() async throws {
        let server = try server()
        defer { server.stop() }
        let url = server.url("/a.jpg").absoluteString
        let text = try await work.run("get", url, "--trace")
        #expect(
            text.output.contains("first byte") && text.output.contains("decode")
                && text.output.contains("new connection")
        )
        let json = try await work.run("get", url, "--trace", "--json")
        #expect(try json.results.map(\.source) == ["disk"])
        #expect(json.error.contains("disk"))
    }

    private func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return stride(from: 0, to: bytes.count, by: 3).map { start -> String in
            let group = Array(bytes[start..<min(start + 3, bytes.count)])
            let word = (0..<3).reduce(0) { $0 << 8 | Int($1 < group.count ? group[$1] : 0) }
            let digits = (0..<4).map { alphabet[word >> (18 - 6 * $0) & 63] }
            return String(digits.prefix(group.count + 1)) + String(repeating: "=", count: 3 - group.count)
        }
        .joined()
    }
}
