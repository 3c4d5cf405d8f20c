import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Progressive previews of streams and files")
struct ProgressiveSourceTests {
    private let steps = Lock<[PassDecoder.Step]>([])

    private func pipeline(_ pacing: FileReadPacing = FileReadPacing()) -> TestPipeline {
        let decoder = PassDecoder { [steps] step in steps.withLock { $0.append(step) } }
        return TestPipeline(codecs: decoder.codecs, filePacing: pacing)
    }

    /// Writes a file with a header and this many passes, whose name no other test has.
    private func file(passCount: Int) throws -> String {
        let path = TestPipeline.temporaryPath()
        try (PassDecoder.header + Data(repeating: UInt8(ascii: "-"), count: passCount)).write(to: URL(filePath: path))
        return path
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

    @Test("are made of a file that is read slowly, of the pieces that are there")
    func slowFile() async throws {
        let (start, calls, gate) = (ContinuousClock.now, Lock(0), DispatchGate())
        let now: @Sendable () -> ContinuousClock.Instant = {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            // Once the second piece has been read.
            if call == 3 { gate.wait() }
            return call == 1 ? start : start + .milliseconds(100)
        }
        let count = PassDecoder.header.count + 2
        let test = pipeline(FileReadPacing(pieceByteCount: count, now: now))
        let path = try file(passCount: count + 10)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let task = test.pipeline.task(for: ImageRequest(.file(path), options: [.progressive]))
        await eventually { task.preview != nil }
        let preview = try #require(task.preview)
        #expect(preview.image.size.width == 2 && preview.response.source == .file)
        gate.open()
        #expect(try await task.image.size.width == PassDecoder.fullWidth)
        #expect(task.preview == nil)
        await eventually { test.pipeline.stages.progressive.work.count == 0 }
    }

    @Test("are not made of a file that is read at once, and of a short one", arguments: [(99, 70), (100, 1_000)])
    func fastFile(milliseconds: Int, pieceByteCount: Int) async throws {
        let (start, isFirst) = (ContinuousClock.now, Lock(true))
        let now: @Sendable () -> ContinuousClock.Instant = {
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return isFirst ? start : start + .milliseconds(milliseconds)
        }
        let test = pipeline(FileReadPacing(pieceByteCount: pieceByteCount, now: now))
        let path = try file(passCount: 100)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let task = test.pipeline.task(for: ImageRequest(.file(path), options: [.progressive]))
        #expect(try await task.image.size.width == PassDecoder.fullWidth)
        await eventually { test.pipeline.stages.progressive.work.count == 0 }
        #expect(steps.withLock { $0 } == [])
    }

    @Test("read a file piece by piece without changing its bytes", arguments: [1, 7, 1_000])
    func pieces(pieceByteCount: Int) async throws {
        let test = pipeline(FileReadPacing(pieceByteCount: pieceByteCount, patience: .zero))
        let (path, data) = (TestPipeline.temporaryPath(), Sample.encoded(Sample.noise(20, 10), .png))
        try data.write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let request = ImageRequest(.file(path), options: [.progressive])
        #expect(try await firstDifference(test.pipeline.data(for: request), data) == nil)
        #expect(try await test.pipeline.image(from: request).bitmap.hasSamePixels(as: Sample.noise(20, 10)))
    }
}
