import FoundationEssentials
import Glibc
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The name that a source is given")
struct SourceNameTests {
    private let test = TestPipeline()

    @Test("names the image, whatever its address")
    func addresses() async throws {
        let (first, second) = (Sample.url(), Sample.url())
        test.transport.serve(first, Sample.png(seed: 1))
        #expect(try await test.pipeline.response(for: ImageRequest(.url(first, cacheKey: "k"))).source == .network)
        #expect(try await test.pipeline.response(for: ImageRequest(.url(second, cacheKey: "k"))).image.owner == 1)
        await test.settle()
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: ImageRequest(.url(second, cacheKey: "k"))).source == .disk)
        #expect(test.transport.startedCount == 1)
        // Without that name each address has an image of its own.
        #expect(test.pipeline.responseFromMemory(for: first) == nil)
    }

    @Test("names the image in a file, also after the file changed")
    func file() async throws {
        let path = TestPipeline.temporaryPath()
        defer { unlink(path) }
        try Sample.png(seed: 1).write(to: URL(filePath: path))
        let request = ImageRequest(.file(path, cacheKey: "k"))
        #expect(try await test.pipeline.response(for: request).image.owner == 1)
        try Sample.png(seed: 2).write(to: URL(filePath: path))
        #expect(try await test.pipeline.response(for: request).source == .memory)
        #expect(try await test.pipeline.image(from: ImageRequest(.file(path))).owner == 2)
        await test.settle()
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("names bytes in memory, which are not cached without it")
    func data() async throws {
        for key in [nil, "k"] {
            let request = ImageRequest(.data(Sample.png(), cacheKey: key))
            _ = try await test.pipeline.response(for: request)
            #expect((test.pipeline.responseFromMemory(for: request) != nil) == (key != nil))
        }
    }
}
