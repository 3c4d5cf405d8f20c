import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The source of a frame")
struct FrameSourceTests {
    @Test("has the bytes of its own user where a loader loads it, also while others load theirs")
    func users() async throws {
        let gate = Gate()
        let loader = SourceLoader { source, _ in
            let bytes = Data((source.url?.user(percentEncoded: true) ?? "none").utf8)
            return ClosureImageDataProvider(cacheKey: "movie") {
                await gate.wait()
                return bytes
            }
        }
        let test = TestPipeline(loaders: [loader])
        let users = ["first", "second"]
        let loads = try users.map { user in
            let url = try #require(URL(string: "movies://\(user)@host/movie"))
            let request = ImageRequest(.videoFrame(of: url, at: .seconds(2)))
            return Task { try await test.pipeline.data(for: request) }
        }
        await eventually { test.pipeline.stages.original.work.waiterCount == 2 }
        gate.open()
        for (load, user) in zip(loads, users) { #expect(try await load.value == Data(user.utf8)) }
    }
}
