import FoundationEssentials
import HalcyonSystem
import HalcyonTesting

@testable import Halcyon

/// A pipeline that counts its encodings, and can hold one of them.
final class EncodedTest: Sendable {
    let test: TestPipeline
    let url = Sample.url()
    /// Holds the next encoding, before it begins.
    let held: HeldCall
    private let count: Lock<Int>

    init(folder: String? = nil, workerCount: Int = 2, decodeBudget: Int = 256 << 20, clock: StoreClock = .system) {
        let (count, held) = (Lock(0), HeldCall())
        let codecs = ImageCodecs.observed { call, _ in
            guard call == .encode else { return }
            count.withLock { $0 += 1 }
            held.pass()
        }
        (self.count, self.held) = (count, held)
        test = TestPipeline(
            folder: folder,
            workerCount: workerCount,
            codecs: codecs,
            decodeBudget: decodeBudget,
            clock: clock
        )
    }

    var pipeline: ImagePipeline { test.pipeline }
    var cache: ImageCache { test.pipeline.cache }
    var transport: ScriptedTransport { test.transport }

    /// The number of encodings so far, those for the disk included.
    var encodeCount: Int { count.withLock { $0 } }

    /// Encodes the image at the test's URL, and waits until everything is stored.
    func encoded(
        _ format: EncodedImageFormat = .format(.webp),
        _ options: [ImageOption] = []
    ) async throws -> EncodedImage {
        let image = try await pipeline.encoded(for: url, as: format, options: options)
        await test.settle()
        return image
    }

    /// Returns the error of an encoding; a success fails the test.
    func failure(_ format: EncodedImageFormat, _ options: [ImageOption] = []) async -> ImageError? {
        do {
            _ = try await encoded(format, options)
            return nil
        } catch {
            return error as? ImageError
        }
    }

    func forgetMemory() { cache.removeAllFromMemory() }

    /// The number of entries on disk.
    func diskCount() async throws -> Int { try await cache.diskStatistics().count }

    /// Calls from a task of its own.
    func start(_ format: EncodedImageFormat = .format(.webp), _ options: [ImageOption] = []) -> Task<
        EncodedImage, any Error
    > {
        Task { [pipeline, url] in try await pipeline.encoded(for: url, as: format, options: options) }
    }
}

extension Sample {
    /// An image whose right half is transparent.
    static func transparent(_ width: Int = 32, _ height: Int = 24) -> Bitmap {
        var bitmap = bitmap(width, height)
        bitmap.isOpaque = false
        let bytesPerRow = bitmap.bytesPerRow
        bitmap.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                for offset in (y * bytesPerRow + width * 2)..<(y * bytesPerRow + width * 4) { bytes[offset] = 0 }
            }
        }
        return bitmap
    }
}
