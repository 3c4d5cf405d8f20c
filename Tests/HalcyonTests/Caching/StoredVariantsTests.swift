import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The variants that memory has had")
struct StoredVariantsTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    private func crop(_ side: Int) -> ImageOption { .processor(.crop(to: .pixels(side, side), anchor: .topLeft)) }

    private func key(_ options: [ImageOption]) throws -> ImageKey {
        try #require(ImageKey(ImageRequest(url, options: options)))
    }

    @Test("name every image of an original, and no other")
    func keys() throws {
        let variants = StoredVariants()
        let keys = try [[], [crop(5)], [crop(6)]].map { try key($0) }
        #expect(variants.keys(ofOriginalOf: keys[0]) == [keys[0]])
        for key in keys + keys { variants.note(key.variant) }
        #expect(variants.keys(ofOriginalOf: keys[2]).map { Set($0) } == Set(keys))
        let scoped = try key([.cacheScope("one"), crop(5)])
        #expect(variants.keys(ofOriginalOf: scoped)?.contains(scoped) == true)
        #expect(variants.keys(ofOriginalOf: scoped)?.contains(keys[1]) == false)
    }

    @Test("are not listed once they are too many")
    func overfull() throws {
        let variants = StoredVariants()
        for side in 1...(StoredVariants.limit + 1) { variants.note(try key([crop(side)]).variant) }
        #expect(variants.keys(ofOriginalOf: try key([])) == nil)
    }

    @Test(
        "lead to all images of an original that its server does not have any more",
        arguments: [3, StoredVariants.limit + 3]
    )
    func absence(count: Int) async throws {
        let other = Sample.url()
        for url in [url, other] { test.transport.serve(url, Sample.png(80, 80)) }
        for side in 1...count { _ = try await test.pipeline.response(for: url, options: [crop(side)]) }
        _ = try await test.pipeline.response(for: url)
        _ = try await test.pipeline.response(for: other, options: [crop(1)])
        test.transport.serve(url, Sample.png(), status: 410)
        #expect(await reason { try await test.pipeline.response(for: url, options: [.revalidate]) } == .status(410))
        for options in [[]] + (1...count).map({ [crop($0)] }) {
            #expect(test.pipeline.responseFromMemory(for: url, options: options) == nil)
        }
        #expect(test.pipeline.responseFromMemory(for: other, options: [crop(1)]) != nil)
        await test.settle()
    }
}
