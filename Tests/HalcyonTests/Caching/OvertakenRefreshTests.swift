import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Forced refreshes that overtake each other")
struct OvertakenRefreshTests {
    private let url = Sample.url()
    private let hold: DecodingHold
    private let test: TestPipeline

    init() {
        hold = DecodingHold()
        test = TestPipeline(codecs: hold.codecs)
    }

    private func firstSample(_ image: DecodedImage?) -> UInt8? { image?.bitmap.pixel(0, 0)[0] }

    private func cropped(_ side: Int) -> ImageOption {
        .processor(.crop(to: .pixels(side, side), anchor: .topLeft))
    }

    /// Starts a forced refresh, and returns once its image is being decoded, which goes on when the gate is opened.
    private func heldRefresh(seed: Int, options: [ImageOption]) async -> ImageTask {
        hold.isWanted.withLock { $0 = true }
        test.transport.serve(url, Sample.png(seed: seed))
        let task = test.pipeline.task(for: url, options: options + [.forceRefresh])
        await eventually { [hold] in hold.isHeld.withLock { $0 } }
        return task
    }

    @Test("what is older than a forced refresh leaves memory although only the disk has what is newer still")
    func olderThanDisk() async throws {
        let options = [cropped(9)]
        test.transport.serve(url, Sample.png(seed: 1))
        _ = try await test.pipeline.response(for: url, options: options + [.waitForCache])
        let older = await heldRefresh(seed: 2, options: options)
        // It shares nothing with the one before, and leaves memory alone.
        test.transport.serve(url, Sample.png(seed: 3))
        let diskOnly = ImageOption { $0.cache.storesInMemory = false }
        let newer = options + [.forceRefresh, diskOnly, .expiration(.seconds(60)), .waitForCache]
        #expect(try await firstSample(test.pipeline.response(for: url, options: newer).image) == 3)
        hold.gate.open()
        #expect(try await firstSample(older.image) == 2)
        await test.settle()
        #expect(try await firstSample(test.pipeline.response(for: url, options: options).image) == 3)
    }

    @Test("what is older than a forced refresh leaves the disk although only memory has what is newer still")
    func olderThanMemory() async throws {
        let options = [cropped(9)]
        test.transport.serve(url, Sample.png(seed: 1))
        _ = try await test.pipeline.response(for: url, options: options + [.waitForCache])
        let older = await heldRefresh(seed: 2, options: options + [.waitForCache])
        test.transport.serve(url, Sample.png(seed: 3))
        let newer = options + [.forceRefresh, .cacheMemoryOnly, .expiration(.seconds(60))]
        #expect(try await firstSample(test.pipeline.response(for: url, options: newer).image) == 3)
        hold.gate.open()
        #expect(try await firstSample(older.image) == 2)
        await test.settle()
        test.pipeline.cache.removeAllFromMemory()
        test.transport.serve(url, Sample.png(seed: 4))
        #expect(try await firstSample(test.pipeline.response(for: url, options: options).image) == 4)
    }
}

/// A gate that holds one decoding.
private final class DecodingHold: Sendable {
    let gate = DispatchGate()
    /// A Boolean value that indicates whether the next decoding is held.
    let isWanted = Lock(false)
    let isHeld = Lock(false)

    var codecs: ImageCodecs {
        .observed { [gate, isWanted, isHeld] call, _ in
            guard call == .decode else { return }
            let isMine = isWanted.withLock { isWanted in
                defer { isWanted = false }
                return isWanted
            }
            guard isMine else { return }
            isHeld.withLock { $0 = true }
            gate.wait()
        }
    }
}
