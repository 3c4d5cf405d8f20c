import FoundationEssentials
import Glibc
import HalcyonFormats
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The frame of a video as a source")
struct VideoSourceTests {
    private let test = TestPipeline(codecs: .standard + [.video])
    private let url = URL(string: "https://origin.example/movie.mp4")
    private let file = FileFixture()

    /// A file that goes with the test.
    private final class FileFixture: Sendable {
        let path = TestPipeline.temporaryPath() + ".mp4"

        var url: URL { URL(filePath: path) }

        func write(_ name: String) throws {
            try VideoFixture.data(name).write(to: url)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    private func load(_ source: Source, _ options: [ImageOption] = []) async throws -> ImageResponse {
        try await test.pipeline.response(for: ImageRequest(source, options: options))
    }

    /// Returns the number of the frame of a video of grey frames that an image is.
    private func number(_ response: ImageResponse) -> Int {
        let grey = response.image.bitmap.withUnsafeBytes { Double($0[1]) }
        return Int(((grey * 219 / 255 + 16 - 40) / 10).rounded())
    }

    @Test("is the one asked for, in memory and on disk; each is another image")
    func file() async throws {
        try file.write("keys.mp4")
        for (time, frame) in [(0.1, 0), (1.6, 6), (2.9, 11)] {
            let source = Source.videoFrame(of: file.url, at: .seconds(time), tolerance: .exact)
            let made = try await load(source, [.waitForCache])
            #expect(number(made) == frame && made.source == .file)
            #expect(try await load(source).source == .memory)
        }
        test.pipeline.cache.removeAllFromMemory()
        let found = try await load(.videoFrame(of: file.url, at: .seconds(1.6), tolerance: .exact))
        #expect(number(found) == 6 && found.source == .disk)
        let key = try await load(.videoFrame(of: file.url, at: .seconds(1.6)))
        #expect(number(key) == 8 && key.source == .file)
        // Frames, and not the video.
        #expect(try await test.pipeline.cache.diskStatistics().bytes < 8_000)
    }

    @Test("is made anew when the file changes")
    func changed() async throws {
        try file.write("keys.mp4")
        let source = Source.videoFrame(of: file.url, at: .first)
        #expect(try await number(load(source)) == 0)
        try file.write("quarters.mp4")
        let other = try await load(source)
        #expect(other.source == .file && other.image.bitmap.withUnsafeBytes { $0[0] > 240 && $0[1] < 20 })
    }

    @Test("needs no more of a file than it takes, whatever its size")
    func large() async throws {
        try file.write("keys.mp4")
        var header: [UInt8] = [0, 0, 0, 1] + Array("free".utf8)
        header += [0, 0, 0, 10, 0, 0, 0, 0]
        let handle = try #require(fopen(file.path, "a"))
        fwrite(header, 1, header.count, handle)
        fclose(handle)
        try #require(truncate(file.path, off_t(VideoFixture.data("keys.mp4").count + 10 << 32)) == 0)
        #expect(try await number(load(.videoFrame(of: file.url, at: .seconds(1)))) == 4)
    }

    @Test("is made smaller for a processor")
    func processed() async throws {
        try file.write("quarters.mp4")
        let options: [ImageOption] = [.processor(.downsample(to: .pixels(8, 8)))]
        let image = try await load(.videoFrame(of: file.url), options).image
        #expect(image.size == PixelSize(8, 4) && image.info.format == .mp4 && image.info.size == PixelSize(32, 16))
    }

    @Test("from a server is stored as a frame; with the video, other frames need no server")
    func server() async throws {
        let url = try #require(url)
        test.transport.serve(url, VideoFixture.data("keys.mp4"))
        let first = Source.videoFrame(of: url, at: .seconds(0.6), tolerance: .exact)
        #expect(try await number(load(first, [.waitForCache])) == 2)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await load(first, [.onlyFromCache]).source == .disk)
        let second = Source.videoFrame(of: url, at: .fraction(0.5), tolerance: .exact)
        await #expect(throws: ImageError.self) { try await load(second, [.onlyFromCache]) }
        #expect(try await number(load(second, [.cacheOriginalImage, .waitForCache])) == 6)
        let third = Source.videoFrame(of: url, at: .seconds(2.9), tolerance: .nearestKeyFrame)
        let response = try await load(third, [.onlyFromCache])
        #expect(number(response) == 8 && response.source == .disk)
    }

    @Test("is named by an option for any source")
    func option() async throws {
        let url = try #require(url)
        test.transport.serve(url, VideoFixture.data("keys.mp4"))
        #expect(try await number(load(.url(url), [.videoFrame(at: .seconds(1.1), tolerance: .exact)])) == 4)
        #expect(try await number(load(.url(url))) == 0)
        let data = Source.data(VideoFixture.data("keys.mp4"))
        #expect(try await number(load(data, [.videoFrame(at: .fraction(1), tolerance: .exact)])) == 11)
        // The source goes before the option.
        let source = Source.videoFrame(of: data, VideoFrame(at: .seconds(0.3), tolerance: .exact))
        #expect(try await number(load(source, [.videoFrame(at: .fraction(1))])) == 1)
    }

    @Test("has the bytes of its video, which a response with a frame of a file does not hold")
    func bytes() async throws {
        try file.write("keys.mp4")
        let source = Source.videoFrame(of: file.url)
        #expect(try await test.pipeline.data(for: ImageRequest(source)) == VideoFixture.data("keys.mp4"))
        #expect(try await load(source, [.includesOriginalData]).data == nil)
        #expect(try await load(source, [.includesOriginalData]).data == nil)
    }

    @Test("fails with what is wrong with the file")
    func failures() async throws {
        let source = Source.videoFrame(of: file.url)
        await #expect(throws: ImageError.self) { try await load(source) }
        try Data("text".utf8).write(to: file.url)
        let error = try await test.pipeline.task(for: ImageRequest(source)).failure()
        #expect(error.reason == .codec(.unknownFormat(detected: "text, and no video")))
    }

    @Test("differs by time, tolerance, and video, and from the video itself")
    func identity() throws {
        let url = try #require(url)
        let sources: [Source] = [
            .url(url), .videoFrame(of: url), .videoFrame(of: url, at: .first), .videoFrame(of: url, at: .seconds(1)),
            .videoFrame(of: url, at: .fraction(1)), .videoFrame(of: url, at: .seconds(1), tolerance: .exact),
            .videoFrame(of: file.url), .url(file.url),
        ]
        #expect(Set(sources).count == sources.count)
        let keys = sources.prefix(6).map { ImageKey($0, options: ImageOptions()) }
        #expect(Set(keys).count == 6 && !keys.contains(nil))
        #expect(Source.videoFrame(of: url, at: .seconds(1)) == .videoFrame(of: url, at: .seconds(1)))
    }

    @Test("is encoded for a server as any image is")
    func encoded() async throws {
        try file.write("keys.mp4")
        let source = Source.videoFrame(of: file.url, at: .seconds(1))
        let encoded = try await test.pipeline.encoded(for: ImageRequest(source), as: .accepted(by: "image/png"))
        #expect(try ImageCodecs.standard.info(of: encoded.data).size == PixelSize(32, 16))
    }
}
