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
            try writeFile(folder.file("\(number).jpg"), ImageOrigin.file(file, number: number))
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

    /// The file with a comment behind its first marker (ITU-T T.81, B.2.4.5): equal bodies would be stored once.
    private static func file(_ bytes: [UInt8], number: Int) -> [UInt8] {
        let text = Array("\(number)".utf8)
        return bytes[..<2] + [0xFF, 0xFE, 0, UInt8(text.count + 2)] + text + bytes[2...]
    }
}
