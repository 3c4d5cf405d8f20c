import FoundationEssentials
import HalcyonFormats
import HalcyonTesting
import Testing

@testable import Halcyon

/// No test of this process registers a format.
@Suite("An image in a format that nobody registered")
struct UnregisteredFormatTests {
    private let drawing = Data(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"10\"><rect width=\"9\"/></svg>".utf8
    )

    private func error(_ test: TestPipeline, _ url: URL, _ options: [ImageOption]) async throws -> ImageError {
        try await test.pipeline.task(for: url, options: options).failure()
    }

    @Test("is an error that is not remembered, and an event that is told once")
    func unregistered() async throws {
        let test = TestPipeline(codecs: .standard, recovery: RecoveryConfiguration(failureMemory: FailureMemory()))
        let (url, observer) = (try #require(URL(string: "https://origin.example/a.svg")), RecordingObserver())
        test.transport.serve(url, drawing)
        for _ in 0..<2 {
            let error = try await error(test, url, [.observers(observer)])
            #expect(error.reason == .codec(.unregistered(.svg)) && error.stage == .decode)
            #expect("\(error)".contains("ImageCodecs.register(.svg)"))
        }
        #expect(test.transport.startedCount == 2)
        #expect(observer.texts.filter { $0 == "unregistered SVG" }.count == 1)
    }

    @Test("is not written either, and nothing is loaded for it")
    func encoded() async throws {
        let test = TestPipeline(codecs: .standard)
        let request = ImageRequest(try #require(URL(string: "https://origin.example/a.png")))
        let error = await #expect(throws: ImageError.self) {
            try await test.pipeline.encoded(for: request, as: .format(.jxl))
        }
        #expect(error?.reason == .codec(.unregistered(.jxl)) && error?.stage == .encode)
        #expect(test.transport.startedCount == 0)
    }

    @Test("is shown by codecs that have the format")
    func added() async throws {
        let test = TestPipeline(codecs: .standard + [.svg])
        let url = try #require(URL(string: "https://origin.example/a.svg"))
        test.transport.serve(url, drawing)
        #expect(try await test.pipeline.image(from: url).size == PixelSize(10, 10))
    }

    @Test("of a file of a video is one too")
    func video() async throws {
        let test = TestPipeline(codecs: .standard)
        let path = TestPipeline.temporaryPath() + ".mp4"
        try VideoFixture.data("keys.mp4").write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let request = ImageRequest(Source.videoFrame(of: URL(filePath: path)))
        await #expect(throws: ImageError.self) { try await test.pipeline.image(from: request) }
        #expect(try await test.pipeline.task(for: request).failure().reason == .codec(.unregistered(.mp4)))
    }
}
