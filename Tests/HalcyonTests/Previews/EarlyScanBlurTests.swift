import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The blur of early scans")
struct EarlyScanBlurTests {
    private let url = Sample.url("image")
    private let pattern = Sample.noise(40, 30)
    /// The numbers of passes of the previews that were made.
    private let made = Lock<[Int]>([])

    private func pipeline(_ format: ImageFormat = .jpeg, workers: PixelWorkers? = nil) -> TestPipeline {
        var decoder = PassDecoder { [made] step in
            if case .made(let count) = step { made.withLock { $0.append(count) } }
        }
        decoder.imageFormat = format
        decoder.pattern = pattern
        return TestPipeline(codecs: decoder.codecs, workers: workers)
    }

    /// Loads an image of which this many passes come before the others, and returns the preview of them.
    private func preview(
        after count: Int,
        of test: TestPipeline,
        _ options: [ImageOption]
    ) async throws -> Bitmap {
        let url = Sample.url()
        let task = test.pipeline.task(for: url, options: options)
        let transfer = await test.transport.nextTransfer()
        transfer.respond()
        transfer.send(PassDecoder.header + Data(repeating: UInt8(ascii: "-"), count: count))
        await eventually { task.preview?.progress?.passCount == count }
        let bitmap = try #require(task.preview?.image.bitmap)
        transfer.finish()
        _ = try await task.image
        return bitmap
    }

    @Test("falls with the number of scans", arguments: [0, 6, 2, 2, 2, 0, 0].enumerated().map { $0 })
    func radius(scanCount: Int, radius: Double) {
        #expect(EarlyScanBlur.radius(after: scanCount) == radius)
    }

    @Test("has the pixels of the Gaussian", arguments: [(1, 6), (2, 2), (4, 2), (5, 0)], [ImageFormat.jpeg, .png])
    func pixels(pass: (count: Int, radius: Double), format: ImageFormat) async throws {
        let options: [ImageOption] = [.progressive(ProgressivePolicy(.latest, blursEarlyScans: true))]
        let bitmap = try await preview(after: pass.count, of: pipeline(format), options)
        #expect(bitmap.hasSamePixels(as: try pattern.blurred(radius: pass.radius)))
        #expect(bitmap.hasSamePixels(as: pattern) == (pass.radius == 0))
    }

    @Test("is off unless it is asked for, and for formats without blocks")
    func off() async throws {
        #expect(!ProgressivePolicy.latest.blursEarlyScans && !ProgressivePolicy.each.blursEarlyScans)
        let plain = try await preview(after: 1, of: pipeline(), [.progressive])
        #expect(plain.hasSamePixels(as: pattern))
        let options: [ImageOption] = [.progressive(ProgressivePolicy(.each, blursEarlyScans: true))]
        let smooth = try await preview(after: 1, of: pipeline(.jxl), options)
        #expect(smooth.hasSamePixels(as: pattern))
    }

    @Test("comes before the processors")
    func order() async throws {
        let crop = ImageOption.processor(.crop(to: .pixels(20, 10)))
        let options: [ImageOption] = [.progressive(ProgressivePolicy(.latest, blursEarlyScans: true)), crop]
        let bitmap = try await preview(after: 1, of: pipeline(), options)
        let blurred = DecodedImage(
            bitmap: try pattern.blurred(radius: 6),
            info: ImageInfo(format: .jpeg, size: pattern.size)
        )
        var expected = blurred
        for step in ImageProcessorChain.crop(to: .pixels(20, 10)).steps {
            expected = try step.processor.process(expected, isCancelled: { false })
        }
        #expect(bitmap.size == PixelSize(20, 10) && bitmap.hasSamePixels(as: expected.bitmap))
    }

    @Test("is smaller where the image is decoded at reduced size, and leaves the size it stands for")
    func reduced() throws {
        let info = ImageInfo(format: .jpeg, size: PixelSize(160, 120))
        let image = DecodedImage(bitmap: pattern, info: info)
        let progress = IncrementalProgress(passCount: 1, coverage: 1)
        #expect(EarlyScanBlur.radius(for: image, at: progress) == 1.5)
        let blurred = try EarlyScanBlur.blur(image, radius: 1.5, isCancelled: { false })
        #expect(blurred.fullSize == PixelSize(160, 120) && blurred.size == pattern.size)
    }

    @Test("leaves out what is no early scan")
    func states() {
        let image = DecodedImage(bitmap: pattern, info: ImageInfo(format: .png, size: pattern.size))
        let states = [
            IncrementalProgress(passCount: 1, coverage: 1, isComplete: true),
            IncrementalProgress(coverage: 0.5), IncrementalProgress(passCount: 1, coverage: 0.5), nil,
        ]
        for state in states { #expect(EarlyScanBlur.radius(for: image, at: state) == 0) }
    }

    @Test("is left out, with its preview, where the budget has no memory for it")
    func budget() async throws {
        let workers = PixelWorkers(threadCount: 2, byteBudget: 1 << 20)
        let test = pipeline(workers: workers)
        let lease = try #require(workers.budget.images.leaseAtHand(1 << 20))
        let policy = ProgressivePolicy(.each, blursEarlyScans: true)
        let task = test.pipeline.task(for: url, options: [.progressive(policy)])
        let transfer = await test.transport.nextTransfer()
        transfer.respond()
        transfer.send(PassDecoder.header + Data("-".utf8))
        await eventually { made.withLock { $0 } == [1] }
        // Nothing of the preview stands in the queue in which the image itself would stand.
        #expect(workers.budgetWaiterCount == 0 && task.preview == nil)
        transfer.send(Data("-".utf8))
        await eventually { made.withLock { $0 } == [1, 2] }
        #expect(workers.budgetWaiterCount == 0)
        lease.reduce(to: 0)
        transfer.send(Data("-".utf8))
        await eventually { task.preview != nil }
        let preview = try #require(task.preview)
        #expect(preview.image.bitmap.hasSamePixels(as: try pattern.blurred(radius: 2)))
        transfer.finish()
        _ = try await task.image
    }

    @Test("shares the budget with processors, which need as much as they make", arguments: [false, true])
    func enlargement(isAtHand: Bool) async throws {
        let workers = PixelWorkers(threadCount: 2, byteBudget: 1 << 20)
        let test = pipeline(workers: workers)
        let atHand = isAtHand ? 900_000 : 100_000
        let lease = try #require(workers.budget.images.leaseAtHand(1 << 20 - atHand))
        let resize = ImageOption.processor(.resize(to: .pixels(400, 300), mode: .stretch))
        let task = test.pipeline.task(for: url, options: [.progressive(.each), resize])
        let transfer = await test.transport.nextTransfer()
        transfer.respond()
        transfer.send(PassDecoder.header + Data("-".utf8))
        await eventually { made.withLock { $0 } == [1] }
        transfer.send(Data("-".utf8))
        await eventually { made.withLock { $0 } == [1, 2] }
        // The first preview has been handed out, or left out, by then.
        if isAtHand { await eventually { task.preview?.image.size == PixelSize(400, 300) } }
        #expect(isAtHand == (task.preview != nil))
        lease.reduce(to: 0)
        transfer.finish()
        #expect(try await task.image.size == PixelSize(400, 300))
    }
}
