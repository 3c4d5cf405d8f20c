internal import CReferences
internal import FoundationEssentials
internal import Halcyon
internal import HalcyonRaster
internal import HalcyonTesting
internal import Synchronization

/// A progressive JPEG of 2 MP over a slow link: the time and the bytes until its first preview can be shown, beside
/// those of the whole load.
struct FirstPreviewCase: BenchmarkCase {
    /// A load takes seconds, and the link decides how many.
    private static let mostSamples = 3
    private static let bytesPerSecond = 250_000
    private static let piecesPerSecond = 20

    let name = "progressive JPEG 2 MP at 250 kB/s, first preview"

    /// The times in milliseconds and the bytes in kilobytes, of the first preview and of the image.
    private struct Load {
        let preview: (time: Double, size: Double)
        let image: (time: Double, size: Double)
    }

    private final class Sent: Sendable {
        let byteCount = Atomic(0)
    }

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        let file = try Self.file()
        var loads: [Load] = []
        for _ in 0..<min(settings.samples, Self.mostSamples) { loads.append(try await Self.load(file)) }
        return [
            .pairs(
                "\(name), time",
                loads.map(\.preview.time),
                "the whole load",
                loads.map(\.image.time),
                unit: "ms"
            ),
            .pairs(
                "\(name), bytes",
                loads.map(\.preview.size),
                "the whole load",
                loads.map(\.image.size),
                unit: "kB"
            ),
        ]
    }

    private static func file() throws -> Data {
        let image = try SyntheticImage.photograph(PixelSize(1_632, 1_224))
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = image.withUnsafeBytes { pixels in
            halcyon_reference_encode_progressive_jpeg(
                pixels.assumingMemoryBound(to: UInt8.self).baseAddress,
                Int32(image.width),
                Int32(image.height),
                image.bytesPerRow,
                85,
                &bytes,
                &count
            )
        }
        guard status == 0, let bytes else { throw BenchmarkError("libjpeg did not encode an image") }
        defer { halcyon_reference_free(bytes) }
        return Data(bytes: bytes, count: count)
    }

    private static func load(_ file: Data) async throws -> Load {
        let folder = try TemporaryFolder()
        let transport = ScriptedTransport()
        let cache = ImageCache(disk: DiskCache.Configuration(folder: folder.file("cache")))
        let pipeline = ImagePipeline(
            configuration: .init(downloader: ImageDownloader(transport: transport), cache: cache)
        )
        guard let url = try BenchmarkURLs.make(1).first else { throw BenchmarkError("no URL") }
        let (start, sent) = (ContinuousClock.now, Sent())
        let task = pipeline.task(for: url, options: [.progressive])
        let preview = Task { () -> (time: Double, size: Double)? in
            for await _ in task.previews {
                let time = (ContinuousClock.now - start) / .milliseconds(1)
                return (time, Double(sent.byteCount.load(ordering: .relaxed)) / 1e3)
            }
            return nil
        }
        let transfer = await transport.nextTransfer()
        transfer.respond()
        var rest = file[...]
        while !rest.isEmpty {
            let piece = rest.prefix(bytesPerSecond / piecesPerSecond)
            rest = rest.dropFirst(piece.count)
            sent.byteCount.add(piece.count, ordering: .relaxed)
            transfer.send(Data(piece))
            try await Task.sleep(for: .milliseconds(1_000 / piecesPerSecond))
        }
        transfer.finish()
        _ = try await task.response
        let time = (ContinuousClock.now - start) / .milliseconds(1)
        guard let preview = await preview.value else { throw BenchmarkError("there was no preview") }
        return Load(preview: preview, image: (time, Double(file.count) / 1e3))
    }
}
