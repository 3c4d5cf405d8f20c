import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Progressive previews")
struct ProgressivePreviewTests {
    private let url = Sample.url("image")
    private let steps = Lock<[PassDecoder.Step]>([])

    /// A pipeline with the format of tests, whose steps are noted.
    private func pipeline(
        clock: any Clock<Duration> = ContinuousClock(),
        observer: @escaping @Sendable (PassDecoder.Step) -> Void = { _ in }
    ) -> TestPipeline {
        let decoder = PassDecoder { [steps] step in
            steps.withLock { $0.append(step) }
            observer(step)
        }
        return TestPipeline(codecs: decoder.codecs, recovery: RecoveryConfiguration(clock: clock))
    }

    /// The widths of the previews that were made.
    private var made: [Int] {
        steps.withLock { $0 }.compactMap { step in if case .made(let width) = step { width } else { nil } }
    }

    /// The number of bytes that the decoder was given, beside the header.
    private var addedCount: Int {
        steps.withLock { $0 }.reduce(0) { sum, step in if case .added(let count) = step { sum + count } else { sum } }
    }

    private func begin(_ task: ImageTask, of test: TestPipeline) async -> ScriptedTransfer {
        let transfer = await test.transport.nextTransfer()
        transfer.respond()
        transfer.send(PassDecoder.header)
        return transfer
    }

    private func finish(_ transfer: ScriptedTransfer, _ task: ImageTask) async throws {
        transfer.finish()
        #expect(try await task.image.size.width == PassDecoder.fullWidth)
        #expect(task.preview == nil)
    }

    @Test("come in order while bytes arrive, and end with the image")
    func order() async throws {
        let test = pipeline()
        let task = test.pipeline.task(for: url, options: [.progressive])
        let transfer = await begin(task, of: test)
        var previews = task.previews.makeAsyncIterator()
        for pass in 1...3 {
            transfer.send(Data("-".utf8))
            let preview = try #require(await previews.next())
            #expect(preview.image.size.width == pass && preview.progress?.passCount == pass)
            #expect(preview.source == .url(url) && preview.quality == 0)
        }
        transfer.send(Data(".".utf8))
        try await finish(transfer, task)
        #expect(await previews.next() == nil)
        await test.settle()
        #expect(made == [1, 2, 3], "none is made of a complete image")
    }

    @Test("show every pass, or the newest alone", arguments: [ProgressivePolicy.each, .latest])
    func policies(policy: ProgressivePolicy) async throws {
        let test = pipeline()
        let task = test.pipeline.task(for: url, options: [.progressive(policy)])
        let transfer = await begin(task, of: test)
        transfer.send(Data("---".utf8))
        await eventually { task.preview?.image.size.width == 3 }
        // The pieces may have been taken one by one, as fast as they came.
        #expect(policy == .each ? made == [1, 2, 3] : made == [3])
        try await finish(transfer, task)
    }

    @Test("are made one at a time, and bytes that come meanwhile count for the next")
    func backPressure() async throws {
        let (gate, reached) = (DispatchGate(), Gate())
        let (running, most) = (Lock(0), Lock(0))
        let test = pipeline { step in
            guard case .made(let width) = step else { return }
            let count = running.withLock { running in
                running += 1
                return running
            }
            most.withLock { $0 = max($0, count) }
            if width == 1 {
                reached.open()
                gate.wait()
            }
            running.withLock { $0 -= 1 }
        }
        let task = test.pipeline.task(for: url, options: [.progressive])
        let transfer = await begin(task, of: test)
        transfer.send(Data("-".utf8))
        await reached.wait()
        for _ in 0..<5 { transfer.send(Data("-".utf8)) }
        gate.open()
        await eventually { task.preview?.image.size.width == 6 }
        #expect(made == [1, 6] && most.withLock { $0 } == 1)
        try await finish(transfer, task)
    }

    @Test("cost each byte once")
    func linearWork() async throws {
        let test = pipeline()
        let task = test.pipeline.task(for: url, options: [.progressive])
        let transfer = await begin(task, of: test)
        for count in 1...40 {
            transfer.send(Data("-".utf8))
            await eventually { task.preview?.image.size.width == count }
        }
        #expect(addedCount == 40 && made.count == 40)
        try await finish(transfer, task)
    }

    @Test("keep no bytes that come behind the end of an image")
    func behindTheEnd() throws {
        let passes = PassDecoder { [steps] step in steps.withLock { $0.append(step) } }
        for isEnded in [false, true] {
            let decoder = IncrementalDecoder(codecs: passes.codecs)
            try decoder.append(PassDecoder.header + Data((isEnded ? "--" : "-.").utf8))
            while try decoder.advance() {}
            if isEnded { decoder.end() }
            let count = addedCount
            try decoder.append(Data(count: 1_000))
            #expect(addedCount == count)
        }
    }

    @Test("are bounded in number")
    func bound() async throws {
        let test = pipeline()
        let task = test.pipeline.task(for: url, options: [.progressive(.each)])
        let transfer = await begin(task, of: test)
        transfer.send(Data(repeating: UInt8(ascii: "-"), count: 49 + ProgressiveCadence.maximumCount))
        await eventually { task.preview?.image.size.width == ProgressiveCadence.maximumCount }
        try await finish(transfer, task)
        #expect(made.count == ProgressiveCadence.maximumCount)
    }

    @Test("come no faster than the interval")
    func interval() async throws {
        let clock = ManualClock()
        let test = pipeline(clock: clock)
        let policy = ProgressivePolicy(.latest, minimumInterval: .seconds(1))
        let task = test.pipeline.task(for: url, options: [.progressive(policy)])
        let transfer = await begin(task, of: test)
        transfer.send(Data("-".utf8))
        await clock.waitForSleepers(1)
        transfer.send(Data("--".utf8))
        #expect(made == [1])
        clock.advance(by: .seconds(1))
        await eventually { task.preview?.image.size.width == 3 }
        #expect(made == [1, 3])
        try await finish(transfer, task)
    }

    @Test("of damaged bytes end, and the image is loaded all the same")
    func damage() async throws {
        let test = pipeline()
        let task = test.pipeline.task(for: url, options: [.progressive])
        let transfer = await begin(task, of: test)
        transfer.send(Data("-!".utf8))
        await eventually { test.pipeline.stages.progressive.work.count == 0 }
        transfer.send(Data("-".utf8))
        try await finish(transfer, task)
        #expect(made.count <= 1)
    }

    @Test("end with a task that is cancelled")
    func cancelled() async throws {
        let test = pipeline()
        let task = test.pipeline.task(for: url, options: [.progressive])
        let transfer = await begin(task, of: test)
        transfer.send(Data("-".utf8))
        await eventually { task.preview != nil }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        await transfer.waitUntilCancelled()
        var previews = task.previews.makeAsyncIterator()
        #expect(await previews.next() == nil)
        await eventually { test.pipeline.stages.progressive.work.count == 0 }
    }

    @Test("are made once for equal loads, and a load that joins late gets the latest")
    func shared() async throws {
        let test = pipeline()
        let first = test.pipeline.task(for: url, options: [.progressive])
        let transfer = await begin(first, of: test)
        transfer.send(Data("--".utf8))
        await eventually { first.preview?.image.size.width == 2 }
        let second = test.pipeline.task(for: url, options: [.progressive])
        await eventually { second.preview?.image.size.width == 2 }
        transfer.send(Data("-".utf8))
        await eventually { first.preview?.image.size.width == 3 && second.preview?.image.size.width == 3 }
        #expect(addedCount == 3)
        try await finish(transfer, first)
        #expect(try await second.image.size.width == PassDecoder.fullWidth)
    }

    @Test("are processed as the image is, and stored nowhere")
    func processing() async throws {
        let test = pipeline()
        let crop = ImageOption.processor(.crop(to: .pixels(1, 2)))
        let task = test.pipeline.task(for: url, options: [.progressive, crop])
        let transfer = await begin(task, of: test)
        transfer.send(Data("--".utf8))
        await eventually { task.preview != nil }
        #expect(task.preview?.image.size == PixelSize(1, 2))
        #expect(test.pipeline.responseFromMemory(for: url, options: [crop]) == nil)
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
        transfer.finish()
        #expect(try await task.image.size == PixelSize(1, 2))
    }

    @Test("are processed as the image is that an interceptor goes on with")
    func intercepted() async throws {
        let test = pipeline()
        let interceptor = TestInterceptor { load in
            var request = load.request
            request.options.processing = .crop(to: .pixels(1, 2))
            return try await load.proceed(with: request)
        }
        let task = test.pipeline.task(for: url, options: [.progressive, .interceptors(interceptor)])
        let transfer = await begin(task, of: test)
        transfer.send(Data("--".utf8))
        await eventually { task.preview != nil }
        #expect(task.preview?.image.size == PixelSize(1, 2))
        transfer.finish()
        #expect(try await task.image.size == PixelSize(1, 2))
    }

    @Test("may be the embedded thumbnail alone")
    func thumbnail() async throws {
        let test = pipeline()
        let task = test.pipeline.task(for: url, options: [.progressive(.embeddedThumbnail)])
        let transfer = await begin(task, of: test)
        await eventually { task.preview?.image.size.width == 49 }
        #expect(task.preview?.progress == nil)
        transfer.send(Data("---".utf8))
        try await finish(transfer, task)
        #expect(made == [])
    }

    @Test("are not made unless they are asked for")
    func none() async throws {
        let test = pipeline()
        let task = test.pipeline.task(for: url)
        let transfer = await begin(task, of: test)
        transfer.send(Data("---".utf8))
        try await finish(transfer, task)
        #expect(steps.withLock { $0 } == [])
    }

    @Test("of rows are transparent where rows are missing, and give way to a preview without gaps")
    func rows() async throws {
        let test = TestPipeline(codecs: .standard)
        let data = Sample.encoded(Sample.noise(64, 64), .png)
        let task = test.pipeline.task(for: url, options: [.progressive])
        let transfer = await test.transport.nextTransfer()
        transfer.respond()
        transfer.send(data.prefix(data.count / 2))
        await eventually { task.preview != nil }
        let preview = try #require(task.preview)
        #expect((0.4...0.6).contains(preview.progress?.coverage ?? 0) && !preview.image.bitmap.isOpaque)
        #expect(preview.rank < ImagePreview(response: preview.response, source: .url(url), quality: 0).rank)
        transfer.send(data.dropFirst(data.count / 2))
        transfer.finish()
        #expect(try await task.image.bitmap.isOpaque)
    }

    @Test("are turned once the orientation is there, if a file states it behind its pixels")
    func lateOrientation() async throws {
        let test = TestPipeline(codecs: .standard)
        let png = Sample.encoded(Sample.noise(40, 30), .png)
        // One entry, 274: the first row is the right side.
        let exif: [UInt8] = [
            77, 77, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
        ]
        let checksum: [UInt8] = [0xd6, 0x67, 0x4b, 0x69]
        let chunk = Data([0, 0, 0, UInt8(exif.count)]) + Data("eXIf".utf8) + exif + checksum
        let task = test.pipeline.task(for: url, options: [.progressive])
        let transfer = await test.transport.nextTransfer()
        transfer.respond()
        transfer.send(png.dropLast(12))
        await eventually { task.preview?.progress == IncrementalProgress(coverage: 1) }
        #expect(task.preview?.image.bitmap.hasSamePixels(as: Sample.noise(40, 30)) == true)
        transfer.send(chunk + png.suffix(12))
        // Once the image is there, a preview of it is made only if more follows.
        while task.preview?.progress?.isComplete != true {
            transfer.send([0])
            await Task.yield()
        }
        let turned = try Sample.noise(40, 30).oriented(.right)
        #expect(task.preview?.image.bitmap.hasSamePixels(as: turned) == true)
        transfer.finish()
        #expect(try await task.image.bitmap.hasSamePixels(as: turned))
    }
}
