import FoundationEssentials
import Glibc
import Halcyon
import HalcyonTesting
import Testing

/// Originals that are written as they came.
@Suite struct OriginalTests {
    private let work: Workplace

    init() throws { work = try Workplace() }

    private func server(_ body: [UInt8]) throws -> OriginServer { try OriginServer { _ in .init(body: body) } }

    @Test(
        "an original is written as it came, reported by its header, and not decoded",
        arguments: [ImageFormat.jpeg, .png, .gif, .webp, .avif]
    )
    func undecoded(format: ImageFormat) async throws {
        let image = try Images.encoded(format)
        let server = try server(image)
        defer { server.stop() }
        for options in [[], ["--no-cache"]] {
            let command = ["get", server.url("/a").absoluteString, "-o", "out/", "--json", "--report", "report"]
            let run = try await work.start(command + options + ["--overwrite"]).outcome
            let result = try #require(try run.results.first)
            #expect(run.exitCode == 0 && result.status == "done" && result.format == format.rawValue)
            #expect(result.width == 40 && result.height == 30 && result.bytes == image.count)
            #expect(run.lines[0].contains(#""partial":false"#))
            let times = try #require(result.milliseconds)
            #expect(times["decode"] == nil && times["encode"] == nil && times["write"] != nil)
            #expect(try work.read(try #require(result.output)) == image)
            let report = String(decoding: try work.read("report"), as: UTF8.self)
            #expect(report.contains(SHA256.hexadecimal(of: image)))
        }
        #expect(server.requests.count == 2)
        // What was written is in the cache too, for another size of it.
        let url = server.url("/a").absoluteString
        let small = try await work.run("get", url, "-o", "out/", "--resize", "20", "--cache-only", "--json")
        #expect(try small.results.first?.width == 20)
    }

    @Test("damage between header and end is found where the pixels are needed, and only there")
    func damagedPixels() async throws {
        let damaged = Images.pngHeader(width: 30, height: 30)
        let server = try server(damaged)
        defer { server.stop() }
        let url = server.url("/a.png").absoluteString
        for options in [["--resize", "20"], ["--format", "webp"], ["--effort", "2"], ["--sheet", "sheet.png"]] {
            let run = try await work.start(["get", url, "-o", "out/", "--json"] + options).outcome
            #expect(try run.exitCode == 1 && run.results.first?.error?.reason == "corrupt")
        }
        #expect(Workplace.files(below: work.folder).isEmpty)
        #expect(try await work.run("get", url, "-o", "out/").exitCode == 0)
        #expect(try work.read("out/a.png") == damaged)
        let converted = try await work.run("convert", "out/a.png", "copy.png")
        #expect(converted.exitCode == 1 && Workplace.files(below: work.folder) == ["out/a.png"])
    }

    @Test(
        "a file without its end is decoded, which finds what is missing",
        arguments: [ImageFormat.jpeg, .png, .gif, .webp],
        [1, 40]
    )
    func withoutEnd(format: ImageFormat, missing: Int) async throws {
        let image = try Images.encoded(format, width: 200, height: 200)
        let server = try server(Array(image.dropLast(missing)))
        defer { server.stop() }
        let run = try await work.run("get", server.url("/a").absoluteString, "-o", "out/", "--json")
        let result = try #require(try run.results.first)
        let isSaid = result.milliseconds?["decode"] != nil || result.error?.stage == "decode"
        #expect(isSaid, "\(run.output)")
        #expect(server.requests.count == 1)
    }

    @Test(
        "what is no image, and what did not come whole, is not saved, and loaded once",
        arguments: [
            ("<!DOCTYPE html><html><body>Log in</body></html>", 47, "decode", "notAnImage"),
            ("\u{FF}\u{D8}\u{FF}", 5_000, "load", "connectionLost"), ("", 0, "load", "emptyBody"),
        ]
    )
    func noImage(body: String, length: Int, stage: String, reason: String) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: \(length)\r\n\r\n"
        let server = try OriginServer { _ in .init(steps: [.bytes(Array((head + body).utf8)), .close]) }
        defer { server.stop() }
        let url = server.url("/a.jpg").absoluteString
        let run = try await work.run("get", url, "-o", "out/", "--json", "--retries", "0")
        let error = try #require(try run.results.first?.error)
        #expect(run.exitCode == 1 && error.stage == stage && error.reason == reason)
        #expect(Workplace.files(below: work.folder).isEmpty)
        #expect(server.requests.count == 1)
        #expect(try await work.run("cache", "list", "--json").output.isEmpty)
    }
}
