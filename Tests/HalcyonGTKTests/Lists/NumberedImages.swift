import Foundation
import Halcyon
import HalcyonTesting

/// An origin of images that each have a number and a colour of their own, and a pipeline that loads them.
final class NumberedImages: Sendable {
    let transport = ScriptedTransport()
    let pipeline: ImagePipeline
    private let folder: String
    private let side: Int

    /// - Parameter side: The width and height of all images, in pixels.
    init(side: Int = 64, memoryCostLimit: Int = 64 << 20) {
        self.side = side
        folder = NSTemporaryDirectory() + "/halcyon-lists-\(UUID().uuidString)"
        var disk = DiskCache.Configuration(folder: folder)
        disk.sweepInterval = nil
        pipeline = ImagePipeline(
            configuration: ImagePipeline.Configuration(
                downloader: ImageDownloader(transport: transport),
                cache: ImageCache(disk: disk, memoryCostLimit: memoryCostLimit, memoryPressure: nil),
                // What is loaded again is asked of the origin again.
                defaultOptions: [.cacheMemoryOnly],
                workerCount: 2
            )
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func request(_ number: Int) -> ImageRequest {
        guard let url = URL(string: "https://lists.example/\(number).png") else { fatalError("url") }
        return ImageRequest(url)
    }

    /// The number of an image, of which a transfer asks for the bytes.
    static func number(of request: TransferRequest) -> Int {
        Int(request.url.deletingPathExtension().lastPathComponent) ?? -1
    }

    /// The number of an image, of which a request asks.
    static func number(of request: ImageRequest) -> Int {
        request.source.url.flatMap { Int($0.deletingPathExtension().lastPathComponent) } ?? -1
    }

    /// Answers all transfers at once from now on.
    func answerAll() {
        transport.setAnswer { [side] in ScriptedTransport.Route(body: Self.png(Self.number(of: $0), side)) }
        answerHeld()
    }

    /// Answers the transfers that are under way.
    func answerHeld() {
        for transfer in running { answer(transfer) }
    }

    func answer(_ transfer: ScriptedTransfer) {
        transfer.answer(ScriptedTransport.Route(body: Self.png(Self.number(of: transfer.request), side)))
    }

    /// The transfers that have not ended.
    var running: [ScriptedTransfer] { transport.transfers.filter { $0.result == nil && !$0.isCancelled } }

    /// The numbers of the images that are being transferred, in order.
    var runningNumbers: [Int] { running.map { Self.number(of: $0.request) }.sorted() }

    /// The numbers of the images that were asked for, each once.
    var askedNumbers: Set<Int> { Set(transport.transfers.map { Self.number(of: $0.request) }) }

    static func png(_ number: Int, _ side: Int = 64) -> Data {
        guard let data = try? ImageCodecs.standard.encode(bitmap(number, side), as: .png) else { fatalError("png") }
        return data
    }

    static func image(_ number: Int) -> DecodedImage {
        let bitmap = bitmap(number)
        return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, size: bitmap.size))
    }

    /// Returns an image of the colour of a number, from 0 to 16,383.
    static func bitmap(_ number: Int, _ side: Int = 64) -> Bitmap {
        guard var bitmap = try? Bitmap(size: PixelSize(side, side), isOpaque: true) else { fatalError("size") }
        let color = Color(
            red: Double((number >> 7) * 2 + 1) / 255,
            green: Double((number & 127) * 2 + 1) / 255,
            blue: 128 / 255
        )
        bitmap.fill(PixelRect(size: bitmap.size), with: color)
        return bitmap
    }

    /// The number whose colour this is; `nil` for any other colour.
    static func number(red: UInt8, green: UInt8, blue: UInt8) -> Int? {
        guard blue == 128, red & 1 == 1, green & 1 == 1 else { return nil }
        return Int(red >> 1) << 7 | Int(green >> 1)
    }

    /// The number of an image, by its colour.
    static func number(of image: DecodedImage) -> Int? {
        image.bitmap.withUnsafeBytes { number(red: $0[0], green: $0[1], blue: $0[2]) }
    }
}
