import FoundationEssentials
import Glibc
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A load that cannot succeed")
struct FailureTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    private func failure(_ source: Source? = nil, _ options: [ImageOption] = []) async throws -> ImageError {
        let error = await #expect(throws: ImageError.self) {
            try await test.pipeline.response(for: ImageRequest(source ?? .url(url), options: options))
        }
        await test.settle()
        // Nothing of a failed load is kept.
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
        return try #require(error)
    }

    @Test("for a status says which one; 200 to 399 are accepted", arguments: [100, 199, 400, 404, 500])
    func status(status: Int) async throws {
        test.transport.serve(url, Sample.png(), status: status)
        let error = try await failure()
        #expect(error.stage == .load)
        #expect(error.reason == .status(status))
        #expect(error.code == "status")
    }

    @Test("has the same description through Foundation")
    func localized() {
        let transfer = TransferError.timedOut(.idle)
        let error: any Error = ImageError(stage: .load, reason: .transfer(transfer), source: "http://a/b")
        #expect((error as? any LocalizedError)?.errorDescription == "Loading http://a/b failed: \(transfer)")
        #expect((transfer as (any Error) as? any LocalizedError)?.errorDescription == transfer.description)
    }

    @Test(
        "shows no password of a URL",
        arguments: [
            ("http://user:secret@a.test/x", "http://user:…@a.test/x"),
            ("http://user:se:c@ret@a.test?@", "http://user:…@a.test?@"),
            ("http://user@a.test/:@", "http://user@a.test/:@"), ("http://a.test/u:p@b", "http://a.test/u:p@b"),
            ("/a/file:with@odd", "/a/file:with@odd"), ("", ""),
        ]
    )
    func password(url: String, shown: String) {
        let error = ImageError(stage: .source, reason: .invalidURL(url), source: url)
        #expect(error.source == shown)
        #expect(error.description.contains("“\(shown)”"))
        #expect(TransferError.invalidURL(url).description.contains("“\(shown)”"))
    }

    @Test("does not come of an accepted status", arguments: [200, 203, 300, 399])
    func acceptedStatus(status: Int) async throws {
        test.transport.serve(url, Sample.png(), status: status)
        #expect(try await test.pipeline.image(from: url).size == PixelSize(64, 48))
    }

    @Test("for a web page says that it is HTML")
    func html() async throws {
        test.transport.serve(url, Data("<!DOCTYPE html><html><body>Not here</body></html>".utf8))
        let error = try await failure()
        #expect(error.stage == .decode)
        #expect(error.reason == .codec(.unknownFormat(detected: "HTML")))
        #expect(error.description.contains("HTML"))
        #expect(error.description.contains(url.absoluteString))
    }

    @Test("for an empty body says so")
    func empty() async throws {
        test.transport.serve(url, Data())
        let error = try await failure()
        #expect(error.stage == .load)
        #expect(error.reason == .emptyBody)
    }

    @Test("for a body cut short says so, if damage is refused", arguments: [Sample.png(), Sample.jpeg()])
    func truncated(body: Data) async throws {
        test.transport.serve(url, body.prefix(body.count / 2))
        let error = try await failure(nil, [.damage(.isRefused)])
        #expect(error.stage == .decode)
        #expect(error.code == "truncated")
    }

    @Test("for a PNG of 30,000 × 30,000 pixels is refused before memory is taken")
    func tooLarge() async throws {
        test.transport.serve(url, Self.enormousPNG)
        let before = residentPages()
        let error = try await failure()
        #expect(error.stage == .decode)
        #expect(error.code == "limitExceeded")
        // The pixels would take 3.6 GB. Other tests run at the same time, but they do not take one.
        #expect(residentPages() - before < 1 << 19)
    }

    @Test(
        "for a transfer keeps the transport's reason",
        arguments: [
            TransferError.cannotConnect("refused"), .cannotFindHost("nowhere"), .timedOut(.idle),
            .redirectRefused("file:///etc/passwd"), .bodyTooLarge(maximum: 9),
        ]
    )
    func transfer(reason: TransferError) async throws {
        test.transport.setRoute(url, .init(error: reason))
        let error = try await failure()
        #expect(error.stage == .load)
        #expect(error.reason == .transfer(reason))
        #expect(error.code == reason.code)
    }

    @Test("for a URL of another scheme names it, and sends nothing")
    func scheme() async throws {
        let ftp = try #require(URL(string: "ftp://images.example/a.png"))
        let error = try await failure(.url(ftp))
        #expect(error.stage == .source)
        #expect(error.reason == .invalidURL("ftp://images.example/a.png"))
        #expect(test.transport.startedCount == 0)
    }

    @Test(
        "for a file names the file and the reason",
        arguments: [
            ("/nowhere/at/all.png", "No such file or directory"), ("/tmp", "it is a folder"),
            ("/dev/zero", "it is no regular file"),
        ]
    )
    func file(path: String, reason: String) async throws {
        let error = try await failure(.file(path))
        #expect(error.stage == .load)
        #expect(error.reason == .file(path: path, reason: reason))
    }

    @Test("for a pipe without a writer ends at once")
    func pipe() async throws {
        let path = TestPipeline.temporaryPath()
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        #expect(try await failure(.file(path)).code == "file")
    }

    @Test("for a processor carries the processor's description")
    func processor() async throws {
        test.transport.serve(url, Sample.png())
        let error = try await failure(nil, [.processor(ImageProcessorChain(FailingProcessor())), .cacheMemoryOnly])
        #expect(error.stage == .process)
        #expect(error.reason == .processing("no ink"))
    }

    @Test("for a provider carries the provider's description")
    func provider() async throws {
        let error = try await failure(.provider(FailingProvider()))
        #expect(error.stage == .load)
        #expect(error.reason == .provider("the archive is closed"))
    }

    @Test("for a size without pixels is an error of the processor")
    func emptySize() async throws {
        test.transport.serve(url, Sample.png())
        let error = try await failure(nil, [.processor(.resize(to: .pixels(0, 10)))])
        #expect(error.stage == .process)
    }

    /// A header of 30,000 × 30,000 pixels of RGBA, and a byte of image data.
    static let enormousPNG: Data = {
        func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
            let content = Array(type.utf8) + body
            return bigEndian(UInt32(body.count)) + content + bigEndian(checksum(content))
        }
        func bigEndian(_ value: UInt32) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        }
        /// CRC-32 as PNG has it (W3C PNG, annex D).
        func checksum(_ bytes: [UInt8]) -> UInt32 {
            ~bytes.reduce(UInt32.max) { crc, byte in
                (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
            }
        }
        let header = bigEndian(30_000) + bigEndian(30_000) + [8, 6, 0, 0, 0]
        return Data(
            [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10] + chunk("IHDR", header) + chunk("IDAT", [0x78]) + chunk("IEND", [])
        )
    }()

    /// Returns the number of pages of memory that this process holds.
    private func residentPages() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

private struct FailingProcessor: ImageProcessing {
    struct Failure: Error, CustomStringConvertible {
        let description = "no ink"
    }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {}

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        throw Failure()
    }
}

private struct FailingProvider: ImageDataProvider {
    struct Failure: Error, CustomStringConvertible {
        let description = "the archive is closed"
    }

    let cacheKey = "failing"

    func data() async throws -> Data { throw Failure() }
}
