internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// An nginx with 500 images, each a file of its own.
///
/// Unchecked: changed by ``start()`` and ``stop()`` alone, before and after the cases run.
final class ImageOrigin: @unchecked Sendable {
    static let imageCount = 500
    private static let size = PixelSize(1_632, 1_224)

    private let origin = NginxOrigin { folder in
        let image = try SyntheticImage.photograph(ImageOrigin.size)
        let file = [UInt8](try ImageCodecs.standard.encode(image, as: .jpeg, options: EncodeOptions(quality: 85)))
        for number in 0..<ImageOrigin.imageCount {
            try writeFile(folder.file("\(number).jpg"), file.withJPEGComment("\(number)"))
        }
    }

    /// The URLs, while the server runs.
    func urls() throws -> [String] {
        let url = try origin.url(.http1, path: "")
        return (0..<Self.imageCount).map { "\(url)\($0).jpg" }
    }

    func start() throws {
        try origin.start()
    }

    func stop() {
        origin.stop()
    }
}
