import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Progressive previews of streams and files")
struct ProgressiveSourceTests {
    private let steps = Lock<[PassDecoder.Step]>([])

    private func pipeline() -> TestPipeline {
        let decoder = PassDecoder { [steps] step in steps.withLock { $0.append(step) } }
        return TestPipeline(codecs: decoder.codecs)
    }

    @Test("come as the pieces of a stream do, and end with the image")
    func stream() async throws {
        let test = pipeline()
        let (stream, chunks) = AsyncStream.makeStream(of: Data.self)
        let request = ImageRequest(.stream(cacheKey: "stream") { stream }, options: [.progressive])
        let task = test.pipeline.task(for: request)
        chunks.yield(PassDecoder.header)
        for pass in 1...3 {
            chunks.yield(Data("-".utf8))
            await eventually { task.preview?.progress?.passCount == pass }
            let preview = try #require(task.preview)
            #expect(preview.image.size.width == pass && preview.response.source == .data)
        }
        // A load that joins gets the latest.
        let late = test.pipeline.task(for: request)
        await eventually { late.preview?.progress?.passCount == 3 }
        #expect(await task.receivedData() == PassDecoder.header + Data("---".utf8))
        chunks.finish()
        #expect(try await task.image.size.width == PassDecoder.fullWidth)
        #expect(try await late.image.size.width == PassDecoder.fullWidth)
        #expect(task.preview == nil)
        #expect(await task.receivedData() == nil)
    }

    @Test("end with a stream that fails")
    func failingStream() async throws {
        let test = pipeline()
        let (stream, chunks) = AsyncThrowingStream.makeStream(of: Data.self)
        let source = Source.stream(cacheKey: "stream") { stream }
        let task = test.pipeline.task(for: ImageRequest(source, options: [.progressive]))
        chunks.yield(PassDecoder.header + Data("-".utf8))
        await eventually { task.preview != nil }
        chunks.finish(throwing: CocoaError(.fileReadUnknown))
        let error = try await task.failure()
        #expect(error.stage == .load && task.preview == nil)
        await eventually { test.pipeline.stages.progressive.work.count == 0 }
    }

    @Test("are not made of a file")
    func file() async throws {
        let test = pipeline()
        let path = TestPipeline.temporaryPath()
        try (PassDecoder.header + Data(repeating: UInt8(ascii: "-"), count: 100)).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let task = test.pipeline.task(for: ImageRequest(.file(path), options: [.progressive]))
        #expect(try await task.image.size.width == PassDecoder.fullWidth)
        await eventually { test.pipeline.stages.progressive.work.count == 0 }
        #expect(steps.withLock { $0 } == [])
    }
}
