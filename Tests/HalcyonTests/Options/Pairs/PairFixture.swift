import FoundationEssentials
import HalcyonTesting

@testable import Halcyon

/// What the options of pairs name, and what the server sends.
enum PairFixture {
    static let body = animation(PairModel.Color.frames)
    static let modifiedBody = animation(PairModel.Color.modified)
    static let alternative = Source.data(Sample.encoded(bitmap(PairModel.Color.alternative), .png))
    static let transport = ScriptedTransport()
    static let downloader = ImageDownloader(transport: transport)
    /// The folder of the other cache, which the test removes.
    static let folder = TestPipeline.temporaryPath()
    static let otherCache: ImageCache = {
        var disk = DiskCache.Configuration(folder: folder)
        disk.sweepInterval = nil
        return ImageCache(disk: disk, memoryCostLimit: 64 << 20, memoryPressure: nil)
    }()

    private static func bitmap(_ color: UInt8) -> Bitmap {
        guard var bitmap = try? Bitmap(size: PixelSize(24, 16), isOpaque: true) else { fatalError("size") }
        bitmap.withUnsafeMutableBytes { bytes in
            for offset in bytes.indices { bytes[offset] = offset % 4 == 3 ? 255 : color }
        }
        return bitmap
    }

    private static func animation(_ colors: [UInt8]) -> Data {
        let frames = colors.map { AnimationFrame(bitmap: bitmap($0), duration: 100) }
        return (try? PNGEncoder().encode(frames, loopCount: 0, options: EncodeOptions())) ?? Data()
    }
}
