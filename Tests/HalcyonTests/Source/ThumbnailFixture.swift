import FoundationEssentials
import Glibc
import HalcyonSystem

@testable import Halcyon

/// A file with an image, and a folder of thumbnails beside it.
final class ThumbnailFixture: Sendable {
    /// The folder of the thumbnails.
    let folder = TestPipeline.temporaryPath()
    let path = TestPipeline.temporaryPath() + " é.png"
    let test: TestPipeline

    init() throws {
        test = TestPipeline(thumbnailFolder: folder)
        for size in ThumbnailSize.allCases {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(size.folderName)",
                withIntermediateDirectories: true
            )
        }
        try write(Self.png(300, 200, 1))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
        try? FileManager.default.removeItem(atPath: path)
    }

    var uri: String { ThumbnailFolder.uri(of: path) }

    /// Changes the file.
    func write(_ data: Data) throws {
        try data.write(to: URL(filePath: path))
    }

    /// Makes the file's time of modification one of the past.
    func setModified(_ seconds: Int) {
        _ = utimensat(
            AT_FDCWD,
            path,
            [timespec(tv_sec: seconds, tv_nsec: 5), timespec(tv_sec: seconds, tv_nsec: 5)],
            0
        )
    }

    var modified: Int {
        var status = stat()
        stat(path, &status)
        return status.st_mtim.tv_sec
    }

    /// Returns the texts of a valid thumbnail.
    func texts(_ changes: [String: String?] = [:]) -> [String: String] {
        var texts: [String: String?] = ["Thumb::URI": uri, "Thumb::MTime": "\(modified)"]
        texts.merge(changes) { $1 }
        return texts.compactMapValues { $0 }
    }

    /// Puts a thumbnail in its place.
    func store(_ data: Data, _ size: ThumbnailSize) throws {
        let name = MD5.hexadecimal(of: Array(uri.utf8))
        try data.write(to: URL(filePath: "\(folder)/\(size.folderName)/\(name).png"))
    }

    /// Returns an image of one colour, whose first sample is a number, with texts.
    static func png(_ width: Int, _ height: Int, _ owner: UInt8, texts: [String: String] = [:]) -> Data {
        guard var bitmap = try? Bitmap(size: PixelSize(width, height), isOpaque: true) else { fatalError("size") }
        bitmap.withUnsafeMutableBytes { bytes in
            for offset in bytes.indices { bytes[offset] = offset % 4 == 3 ? 255 : owner }
        }
        let plain = Sample.encoded(bitmap, .png)
        // The signature and the first chunk.
        return plain.prefix(33) + texts.flatMap { chunk("tEXt", Array("\($0)\0\($1)".utf8)) } + plain.dropFirst(33)
    }

    private static func chunk(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        let content = Array(type.utf8) + payload
        return bigEndian(UInt32(payload.count)) + content + bigEndian(checksum(content))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// CRC-32 as PNG has it (W3C PNG, annex D).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
    }
}
