import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A provider of a stream")
struct StreamingProviderTests {
    private let test = TestPipeline()

    @Test("reports progress as its bytes come")
    func progress() async throws {
        let body = Sample.png()
        let (stream, chunks) = AsyncStream.makeStream(of: Data.self)
        let source = Source.stream(cacheKey: "stream", expectedByteCount: body.count) { stream }
        let task = test.pipeline.task(for: ImageRequest(source))
        chunks.yield(body.prefix(100))
        await eventually { task.progress.receivedBytes == 100 }
        #expect(task.progress.expectedBytes == body.count)
        // Joins, and receives the present progress.
        let late = test.pipeline.task(for: ImageRequest(source))
        await eventually { late.progress.receivedBytes == 100 }
        chunks.yield(body.dropFirst(100))
        await eventually { task.progress.fraction == 1 }
        chunks.finish()
        #expect(try await task.image.bitmap.hasSamePixels(as: Sample.bitmap()))
        #expect(try await late.response.source == .data)
    }

    @Test("of unknown length, and of pieces of any size, gives all bytes in their order")
    func unknownLength() async throws {
        let body = Sample.png()
        let pieces = [Data(), body.prefix(1), Data(), body.dropFirst(1).prefix(40), body.dropFirst(41), Data()]
        let source = Source.stream(cacheKey: "pieces") {
            AsyncStream { continuation in
                for piece in pieces { continuation.yield(piece) }
                continuation.finish()
            }
        }
        #expect(try await firstDifference(test.pipeline.data(for: ImageRequest(source)), body) == nil)
        #expect(try await test.pipeline.image(from: ImageRequest(source)).bitmap.hasSamePixels(as: Sample.bitmap()))
    }

    @Test("is read no further than its bytes are allowed")
    func limit() async throws {
        let pulled = Lock(0)
        let source = Source.stream(cacheKey: "endless") {
            AsyncStream(unfolding: {
                pulled.withLock { $0 += 1 }
                return Data(repeating: 7, count: 10)
            })
        }
        let options: [ImageOption] = [ImageOption { $0.network.limits = TransferLimits(bodyBytes: 35) }]
        let error = try await test.pipeline.task(for: ImageRequest(source, options: options)).failure()
        #expect(error.stage == .load)
        #expect(error.reason == .provider("the provider has more than the 35 bytes allowed"))
        #expect(pulled.withLock { $0 } == 4)
    }

    @Test("that states more bytes than allowed is not read at all")
    func statedLength() async throws {
        let isStarted = Lock(false)
        let source = Source.stream(cacheKey: "large", expectedByteCount: .max) {
            isStarted.withLock { $0 = true }
            return AsyncStream<Data>(unfolding: { nil })
        }
        let error = try await test.pipeline.task(for: ImageRequest(source)).failure()
        guard case .provider = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(!isStarted.withLock { $0 })
    }

    @Test("that states a length without sense is loaded all the same", arguments: [-1, Int.min, 0, 1])
    func senselessLength(count: Int) async throws {
        let source = Source.stream(cacheKey: "odd", expectedByteCount: count) {
            AsyncStream { continuation in
                continuation.yield(Sample.png())
                continuation.finish()
            }
        }
        #expect(try await test.pipeline.image(from: ImageRequest(source)).size == PixelSize(64, 48))
    }

    @Test("that fails half way fails the load with its error")
    func failure() async throws {
        struct Failure: Error, CustomStringConvertible {
            let description = "the tape is torn"
        }
        let source = Source.stream(cacheKey: "torn") {
            AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Sample.png().prefix(50))
                continuation.finish(throwing: Failure())
            }
        }
        let error = try await test.pipeline.task(for: ImageRequest(source)).failure()
        #expect(error.reason == .provider("the tape is torn"))
    }

    @Test("is no longer read once its load is cancelled")
    func cancellation() async throws {
        let hasEnded = Gate()
        let (stream, chunks) = AsyncStream.makeStream(of: Data.self)
        chunks.onTermination = { _ in hasEnded.open() }
        let task = test.pipeline.task(for: ImageRequest(.stream(cacheKey: "cancelled") { stream }))
        chunks.yield(Data([1, 2, 3]))
        await eventually { task.progress.receivedBytes == 3 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        await hasEnded.wait()
        await test.settle()
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("of the program's own gives its bytes in one piece as well")
    func whole() async throws {
        let provider = TwoPieces()
        #expect(try await firstDifference(provider.data(), Sample.png()) == nil)
        #expect(provider.expectedByteCount == nil)
        #expect(try await test.pipeline.image(from: ImageRequest(.provider(provider))).size == PixelSize(64, 48))
    }
}

private struct TwoPieces: StreamingImageDataProvider {
    let cacheKey = "two"

    func chunks() async throws -> AsyncStream<Data> {
        AsyncStream { continuation in
            continuation.yield(Sample.png().prefix(30))
            continuation.yield(Sample.png().dropFirst(30))
            continuation.finish()
        }
    }
}
