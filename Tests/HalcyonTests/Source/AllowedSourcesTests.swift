import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A pipeline for URLs of other people")
struct AllowedSourcesTests {
    private let test: TestPipeline
    private let url = Sample.url()
    private let path = TestPipeline.temporaryPath()
    private let file: URL

    init() throws {
        test = TestPipeline(allowedSources: .web)
        test.transport.serve(url, Sample.png(4, 3))
        file = URL(filePath: path)
        try Sample.png(8, 6).write(to: file)
    }

    private var refused: [Source] {
        [
            .url(file), .file(path), .videoFrame(of: file, at: .representative),
            .thumbnail(ofFile: path, size: .normal),
            .dataURL("data:image/png;base64,\(Sample.png(5, 4).base64EncodedString())"),
            .provider(Base64ImageDataProvider(Sample.png(5, 4).base64EncodedString())),
        ]
    }

    @Test("loads no files, data URLs and providers, in no form")
    func refusal() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        for source in refused {
            let kind = try #require(source.kind)
            let request = ImageRequest(source)
            let pipeline = test.pipeline
            func check(_ error: ImageError?) {
                #expect(error?.reason == .sourceNotAllowed(kind) && error?.stage == .source, "\(source)")
            }
            check(await #expect(throws: ImageError.self) { try await pipeline.image(from: request) })
            check(await #expect(throws: ImageError.self) { try await pipeline.data(for: request) })
            check(
                await #expect(throws: ImageError.self) {
                    try await pipeline.encoded(for: request, as: .format(.png))
                }
            )
            #expect(pipeline.responseFromMemory(for: request) == nil)
        }
        #expect(try await test.pipeline.image(from: url).size == PixelSize(4, 3))
    }

    @Test("loads none in place of another, and none as a preview")
    func others() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let missing = Sample.url()
        test.transport.serve(missing, Data(), status: 404)
        for source in refused {
            let options: [ImageOption] = [.alternativeSources([source])]
            let error = await #expect(throws: ImageError.self) {
                try await test.pipeline.image(from: missing, options: options)
            }
            guard case .alternativesExhausted(let failures) = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(failures.last?.error.code == "sourceNotAllowed")
            let task = test.pipeline.task(for: url, options: [.previews([source]), .forceRefresh])
            _ = try await task.image
            #expect(task.preview == nil)
        }
    }

    @Test("loads bytes at hand, and what a loader of the program answers in place of a server")
    func allowed() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try await test.pipeline.image(from: ImageRequest(.data(Sample.png(5, 4)))).size == PixelSize(5, 4))
        let loader = SourceLoader(scheme: "https") { _ in Sample.png(7, 5) }
        let loading = TestPipeline(loaders: [loader], allowedSources: .web)
        let answered = try #require(URL(string: "https://example.org/a.png"))
        #expect(try await loading.pipeline.image(from: answered).size == PixelSize(7, 5))
        let fileLoader = SourceLoader(scheme: "file") { _ in Sample.png(7, 5) }
        let files = TestPipeline(loaders: [fileLoader], allowedSources: .web)
        await #expect(throws: ImageError.self) { try await files.pipeline.image(from: file) }
    }

    @Test("is configured by one preset")
    func preset() {
        let configuration = ImagePipeline.Configuration.untrusted()
        #expect(configuration.allowedSources == .web)
        #expect(ImagePipeline.Configuration().allowedSources == .all)
    }
}
