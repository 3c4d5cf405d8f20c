import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("URLs that mean the same")
struct SpellingTests {
    private let test = TestPipeline()
    private let spellings = [
        "http://example.org/a/b.png?c=~d", "HTTP://EXAMPLE.org/a/b.png?c=~d", "http://example.org:80/a/b.png?c=~d",
        "http://example.org/a/b.png?c=~d#1", "http://example.org/a/x/../b.png?c=~d",
        "http://example.org/%61/b.png?c=%7ed",
    ]

    private func urls() throws -> [URL] { try spellings.map { try #require(URL(string: $0)) } }

    @Test("are one image in memory and on disk, and one transfer one after the other")
    func caches() async throws {
        let urls = try urls()
        for url in urls { test.transport.serve(url, Sample.png(4, 3)) }
        _ = try await test.pipeline.image(from: urls[1])
        await test.settle()
        for url in urls {
            #expect(try await test.pipeline.response(for: url).source == .memory, "\(url)")
            #expect(test.pipeline.responseFromMemory(for: url) != nil)
            #expect(try await test.pipeline.encoded(for: url, as: .format(.png)).size == PixelSize(4, 3))
        }
        test.pipeline.cache.removeAllFromMemory()
        let later = TestPipeline(folder: test.folder)
        for url in urls {
            #expect(try await later.pipeline.response(for: url, options: [.onlyFromCache]).source != .network, "\(url)")
            later.pipeline.cache.removeAllFromMemory()
        }
        #expect(test.transport.startedCount == 1)
        // A removal by one spelling is one of all.
        try await later.pipeline.cache.remove(for: ImageRequest(urls[4]))
        await #expect(throws: ImageError.self) {
            try await later.pipeline.response(for: urls[0], options: [.onlyFromCache])
        }
    }

    @Test("share one transfer at the same time, which is sent as the first was spelled")
    func sharing() async throws {
        let urls = try urls()
        let tasks = [urls[5], urls[0], urls[3], urls[4]].map { test.pipeline.task(for: $0) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [stages = test.pipeline.stages] in stages.images.waiterCount == tasks.count }
        transfer.respond()
        transfer.send(Sample.png(4, 3))
        transfer.finish()
        for task in tasks { #expect(try await task.image.size == PixelSize(4, 3)) }
        #expect(test.transport.startedCount == 1)
        #expect(test.transport.transfers.first?.request.url == urls[5])
    }

    @Test("with another user name or query are others")
    func others() async throws {
        let texts = ["http://example.org/a", "http://u:p@example.org/a", "http://example.org/a?b"]
        for (number, text) in texts.enumerated() {
            let url = try #require(URL(string: text))
            test.transport.serve(url, Sample.png(number + 1, 1))
            #expect(try await test.pipeline.image(from: url).size == PixelSize(number + 1, 1))
        }
        #expect(test.transport.startedCount == 3)
    }
}
