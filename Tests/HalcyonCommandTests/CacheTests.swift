import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonCommand

@Suite struct CacheTests {
    struct Statistics: Decodable {
        var entries: Int
        var bytes: Int
        var limit: Int
    }

    struct Entry: Decodable {
        var url: String
        var kind: String
        var bytes: Int
        var stored: String
    }

    struct Change: Decodable {
        var removed: Int
        var entries: Int
        var bytes: Int
    }

    private let work: Workplace
    private let photo: [UInt8]
    private let server: OriginServer

    init() throws {
        work = try Workplace()
        let photo = try Images.encoded(.png, width: 64, height: 64)
        self.photo = photo
        server = try OriginServer { _ in .init(body: photo) }
    }

    private func url(_ path: String) -> String { "http://127.0.0.1:\(server.port)\(path)" }

    @Test("the cache says what is in it, as text and as JSON")
    func contents() async throws {
        defer { server.stop() }
        _ = try await work.run("get", url("/a.png"), url("/b.png"))
        _ = try await work.run("get", url("/a.png"), "--resize", "8x8")
        let statistics = try #require(try await work.run("cache", "stats", "--json").records(Statistics.self).first)
        #expect(statistics.entries == 3 && statistics.bytes > 2 * photo.count && statistics.limit > statistics.bytes)
        #expect(try await work.run("cache", "stats").output.contains("Entries"))
        let entries = try await work.run("cache", "list", "--json").records(Entry.self)
        #expect(entries.map(\.kind).sorted() == ["original", "original", "processed"])
        #expect(Set(entries.map(\.url)) == [url("/a.png"), url("/b.png")])
        #expect(try await work.run("cache", "list", "--limit", "1", "--json").lines.count == 1)
        #expect(try await work.run("cache", "list").output.contains(url("/b.png")))
        let verification = try await work.run("cache", "verify")
        #expect(verification.exitCode == 0 && verification.output.contains("Everything is sound."))
    }

    @Test("each host has its entries, bytes, hits and ages, as charts and as JSON, also without a subcommand")
    func hosts() async throws {
        struct Host: Decodable {
            var host: String
            var entries: Int
            var bytes: Int
            var hits: Int
            var ages: [Int]
        }
        defer { server.stop() }
        #expect(try await work.run("cache").output == "Nothing is in the cache.\n")
        _ = try await work.run("get", url("/a.png"), url("/b.png"), "http://localhost:\(server.port)/c.png")
        _ = try await work.run("get", url("/b.png"))
        let hosts = try await work.run("cache", "--json").records(Host.self)
        #expect(hosts.map(\.host) == ["127.0.0.1", "localhost"])
        #expect(hosts.map(\.entries) == [2, 1] && hosts.map(\.hits) == [1, 0])
        #expect(hosts[0].bytes == 2 * photo.count && hosts.map(\.ages) == [[2, 0, 0, 0, 0], [1, 0, 0, 0, 0]])
        let lines = try await work.run("cache").lines
        #expect(lines.count == 4)
        #expect(lines[2].contains("127.0.0.1") && lines[2].contains("50 %") && lines[2].hasSuffix("█····"))
        // The bar of the first is the longer one.
        #expect(lines[2].count { $0 == "█" } > lines[3].count { $0 == "█" })
    }

    @Test("a table of hosts is no wider than the terminal", arguments: [50, 80, 200])
    func narrowHosts(width: Int) throws {
        let host = HostUse(name: "a-long-name-of-a-host.example.org", count: 99_999, bytes: 999_900_000, hits: 99_999)
        #expect(HostUse.chart(of: [host], width: width).allSatisfy { $0.columnCount <= width })
    }

    @Test("what was used stale is fresh for the next run")
    func refreshed() async throws {
        server.stop()
        let newer = try Images.encoded(.png, width: 65, height: 64)
        let requests = Lock(0)
        let server = try OriginServer { [photo] _ in
            let number = requests.withLock { count in
                count += 1
                return count
            }
            return .init(
                headers: [.cacheControl: "max-age=0, stale-while-revalidate=100000"],
                body: number == 1 ? photo : newer
            )
        }
        defer { server.stop() }
        for (run, bytes) in [photo, photo, newer].enumerated() {
            let result = try await work.run("get", server.url("/a.png").absoluteString, "-o", "a\(run).png")
            #expect(result.exitCode == 0)
            #expect(try work.read("a\(run).png") == bytes)
        }
    }

    @Test("an image is removed in all its sizes; what is not there is a failure")
    func removal() async throws {
        defer { server.stop() }
        _ = try await work.run("get", url("/a.png"), url("/b.png"), "--resize", "8x8")
        let removed = try await work.run("cache", "remove", url("/a.png"))
        #expect(removed.exitCode == 0)
        #expect(removed.output == "Removed \(url("/a.png")) (2 entries).\n")
        let again = try await work.run("cache", "remove", url("/a.png"))
        #expect(again.exitCode == 1 && again.error == "halcyon: \(url("/a.png")) is not in the cache\n")
        #expect(try await work.run("cache", "stats", "--json").records(Statistics.self).map(\.entries) == [2])
        let run = try await work.run("get", url("/a.png"), "--cache-only")
        #expect(run.exitCode == 1)
    }

    @Test("an image that was loaded with a credential is removed by its URL", arguments: ["--header", "URL"])
    func removeOfCredential(place: String) async throws {
        defer { server.stop() }
        let url = url("/a.png")
        let command =
            place == "URL"
            ? [url.replacing("http://", with: "http://me:secret@")] : [url, "--header", "Authorization: Bearer x"]
        #expect(try await work.start(["get"] + command).outcome.exitCode == 0)
        #expect(try await work.run("cache", "remove", url).exitCode == 0)
        #expect(try await work.run("cache", "list").output == "Nothing is in the cache.\n")
    }

    @Test("a damaged body is found and removed, and the image loads anew")
    func damage() async throws {
        defer { server.stop() }
        // Large enough to be a file of its own; the bytes behind the image's end count as well.
        let photo = photo + [UInt8](repeating: 7, count: 60_000)
        let large = try OriginServer { _ in .init(body: photo) }
        defer { large.stop() }
        let url = large.url("/large.png").absoluteString
        _ = try await work.run("get", url)
        let body = try #require(
            Workplace.files(below: work.cacheFolder).map { "\(work.cacheFolder)/\($0)" }.first { path in
                (try? Data(contentsOf: URL(filePath: path))).map { [UInt8]($0) == photo } ?? false
            }
        )
        try Data(photo.map { $0 ^ 1 }).write(to: URL(filePath: body))

        let found = try await work.run("cache", "verify", "--json")
        #expect(found.exitCode == 1)
        #expect(found.output.contains(#""damaged":["\#(url)"]"#) && found.output.contains(#""sound":false"#))
        let text = try await work.run("cache", "verify")
        #expect(text.exitCode == 1 && text.output.contains("Damaged: \(url)") && text.output.contains("Not repaired."))
        #expect(try await work.run("cache", "verify", "--repair").exitCode == 0)
        #expect(try await work.run("cache", "verify").exitCode == 0)
        #expect(try await work.run("get", url, "--json").results.map(\.source) == ["network"])
    }

    @Test("clear and remove leave nothing of interrupted bodies either", arguments: [true, false])
    func interrupted(isClear: Bool) async throws {
        server.stop()
        let photo = photo + [UInt8](repeating: 7, count: 100_000)
        let server = try OriginServer { request in
            let length: HTTPFields = [.eTag: "\"1\"", .contentLength: "\(photo.count)"]
            return .scripted(headers: length, .bytes(Array(photo.prefix(60_000))), .reset)
        }
        defer { server.stop() }
        let url = server.url("/a.png").absoluteString
        #expect(try await work.run("get", url, "--retries", "0").exitCode == 1)
        func parts() -> [String] { Workplace.files(below: work.cacheHome).filter { $0.hasSuffix(".body") } }
        #expect(parts().count == 1)
        _ = try await work.start(["cache"] + (isClear ? ["clear"] : ["remove", url])).outcome
        #expect(parts().isEmpty)
    }

    @Test("trim leaves what fits, clear leaves nothing")
    func trimAndClear() async throws {
        defer { server.stop() }
        _ = try await work.run("get", url("/a.png"), url("/b.png"), url("/c.png"))
        let trimmed = try await work.run("cache", "trim", "--to", "\(photo.count * 2 + photo.count / 2)", "--json")
        #expect(trimmed.exitCode == 0)
        let change = try #require(try trimmed.records(Change.self).first)
        #expect(change.removed >= 1 && change.entries == 3 - change.removed)
        let cleared = try await work.run("cache", "clear")
        #expect(cleared.exitCode == 0 && cleared.output.contains("left 0, 0 B."))
        #expect(try await work.run("cache", "list", "--json").output.isEmpty)
    }
}
