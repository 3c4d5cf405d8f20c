import FoundationEssentials
import Glibc
import HalcyonCodecs
import HalcyonRaster

@testable import HalcyonConformance

/// A folder with images of our own, in the form of the public collections.
final class ImageCollection {
    let folder: CorporaFolder

    init() throws {
        let path = FileManager.default.temporaryDirectory.path + "/halcyon-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        folder = CorporaFolder(path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder.path)
    }

    func add(_ path: String, _ data: Data) throws {
        try data.write(to: URL(filePath: folder.path + "/" + path))
    }

    /// Returns the verdict on the file "file" with these fields.
    func verdict(_ fields: [String: String]) -> ImageVerdict {
        let fields = ["path": "file", "format": "png", "expectation": "decodes"].merging(fields) { $1 }
        let names = fields.keys.sorted()
        let row = ImageManifestRow(line: names.map { fields[$0] ?? "" }.joined(separator: "\t"), columns: names)
        return ImageCheck(row, folder: folder).verdict()
    }

    /// Samples of red, green, blue, alpha as an image of one row.
    static func bitmap(_ samples: [UInt8]) throws -> Bitmap {
        try samples.withUnsafeBytes { try Bitmap(premultiplying: $0, size: PixelSize(samples.count / 4, 1)) }
    }

    /// The hash of samples.
    static func hash(_ samples: [UInt8]) -> String {
        StraightPixels(size: PixelSize(samples.count / 4, 1), bytes: samples).hash
    }
}
