import Halcyon
import HalcyonTesting
import Testing

@Suite("The bytes that get writes")
struct EncodedOutputTests {
    /// The parts of the cache that are left for the second run.
    enum Rest: CaseIterable {
        case everything
        /// The original alone.
        case original
        /// The original, and the image that a run without output stored.
        case processedImage
    }

    private let work: Workplace
    private let photo: [UInt8]

    init() throws {
        work = try Workplace()
        photo = try Images.encoded(.jpeg)
    }

    @Test(
        "are the same from the network, from memory and from what is on disk",
        arguments: Rest.allCases,
        ["jpeg", "png", "webp"]
    )
    func sources(rest: Rest, format: String) async throws {
        let photo = photo
        let server = try OriginServer { _ in .init(body: photo) }
        defer { server.stop() }
        let url = server.url("/a.jpg").absoluteString
        let options = [url, "--resize", "20x15", "--json"]
        let cold = try await work.start(["get", "--format", format, "--repeat", "2", "-o", "cold"] + options).outcome
        #expect(try cold.results.map(\.source) == ["network", "memory"])
        if rest != .everything { try await keepOriginal(url) }
        if rest == .processedImage {
            #expect(try await work.start(["get"] + options).outcome.results.map(\.source) == ["disk"])
        }
        let warm = try await work.start(["get", "--format", format, "-o", "warm", "--cache-only"] + options).outcome
        #expect(try warm.results.map(\.source) == ["disk"])
        #expect(try firstDifference(work.read("cold"), work.read("warm")) == nil)
        #expect(try Images.info(work.read("warm")).format.rawValue == format)
        #expect(server.requestCount("/a.jpg") == 1)
    }

    @Test("are made once: the next run finds them on disk and encodes nothing")
    func stored() async throws {
        let photo = photo
        let server = try OriginServer { _ in .init(body: photo) }
        defer { server.stop() }
        let arguments = ["get", server.url("/a.jpg").absoluteString, "--resize", "20x15", "-o", "a.webp", "--json"]
        let cold = try await work.start(arguments).outcome
        #expect(try cold.results[0].milliseconds?["encode"] != nil)
        let warm = try await work.start(arguments + ["--overwrite"]).outcome
        let times = try #require(try warm.results[0].milliseconds)
        #expect(times["disk"] != nil && times["decode"] == nil && times["encode"] == nil)
    }

    @Test(
        "of an image are on the contact sheet, which needs no second transfer",
        arguments: ["png", "pam", "jpeg"],
        [[], ["--no-cache"]]
    )
    func contactSheet(format: String, options: [String]) async throws {
        let photo = photo
        let server = try OriginServer { _ in .init(body: photo) }
        defer { server.stop() }
        let urls = ["/a.jpg", "/b.jpg"].map { server.url($0).absoluteString }
        let run = try await work.start(
            ["get", "--format", format, "-o", "out/", "--sheet", "sheet.png", "--json"] + options + urls
        ).outcome
        #expect(run.exitCode == 0, "\(run.error)")
        let bitmap = try Images.decoded(work.read("sheet.png"))
        #expect(Set(bitmap.straightRGBA()).count > 2)
        #expect(server.requests.count == 2)
    }

    /// Stores the original alone in the cache of the command.
    private func keepOriginal(_ url: String) async throws {
        let cache = ImageCache(disk: .init(folder: work.cacheFolder))
        let count = try await cache.removeFromDisk { $0.isProcessed }
        #expect(count == 1)
        await cache.flush()
    }
}
