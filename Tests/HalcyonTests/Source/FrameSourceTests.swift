import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The source of a frame")
struct FrameSourceTests {
    @Test("is of that frame also where its request takes cookies from a store")
    func cookies() async throws {
        let (test, store, url) = (TestPipeline(), CookieStore(), Sample.url())
        store.receive([.setCookie: "session=1"], from: url)
        test.transport.serve(url, Sample.png())
        func request(_ seconds: Double) -> ImageRequest {
            ImageRequest(.videoFrame(of: url, at: .seconds(seconds)), options: [.cookies(store)])
        }
        #expect(try await test.pipeline.response(for: request(2)).source == .network)
        #expect(test.pipeline.responseFromMemory(for: request(2)) != nil)
        #expect(test.pipeline.responseFromMemory(for: request(3)) == nil)
        #expect(test.pipeline.responseFromMemory(for: ImageRequest(url, options: [.cookies(store)])) == nil)
    }

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
