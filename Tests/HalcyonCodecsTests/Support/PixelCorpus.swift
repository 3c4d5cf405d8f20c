import FoundationEssentials
import HalcyonRaster

/// The folder of public test images that `HALCYON_CORPORA` names; by default `../shared/corpora` beside the package.
enum PixelCorpus {
    static let folder: String = {
        if let folder = ProcessInfo.processInfo.environment["HALCYON_CORPORA"] {
            return folder
        }
        // …/Tests/HalcyonCodecsTests/Support/PixelCorpus.swift
        let package = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        return "/\(package)/../shared/corpora"
    }()

    static var isPresent: Bool {
        FileManager.default.fileExists(atPath: folder + "/MANIFEST.tsv")
    }

    static func data(_ path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: folder + "/" + path))
    }

    /// All images of one format, as their first bytes tell.
    static func rows(format: String) throws -> [PixelCorpusRow] {
        let text = String(decoding: try data("MANIFEST.tsv"), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
        let names = (lines.first ?? "").split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        return lines.dropFirst().compactMap { line in
            let values = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let fields = Dictionary(zip(names, values)) { first, _ in first }
            guard fields["format"] == format, fields["role"] == "test" else {
                return nil
            }
            return PixelCorpusRow(fields: fields)
        }
    }
}

/// One image and what is known of it.
struct PixelCorpusRow: Sendable {
    let fields: [String: String]

    var path: String { self["path"] }
    var expectation: String { self["expectation"] }
    var pixelCheck: String { self["pixel_check"] }
    var hasPartialAlpha: Bool { self["alpha"] == "partial" }
    var frameCount: Int? { Int(self["frames"]) }

    var size: PixelSize? {
        guard let width = Int(self["width"]), let height = Int(self["height"]) else {
            return nil
        }
        return PixelSize(width, height)
    }

    /// Pixels of all frames, for choosing what a debug build can afford.
    var totalPixelCount: Int {
        (size?.area ?? 0).multipliedReportingOverflow(by: max(1, frameCount ?? 1)).partialValue
    }

    subscript(name: String) -> String { fields[name] ?? "" }
}

extension Bitmap {
    /// Straight RGBA, row by row without padding, black where transparent.
    ///
    /// Exact where alpha is 0 or 255 only.
    func straightBytes() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 4)
        withUnsafeBytes { pixels in
            for y in 0..<height {
                bytes.append(contentsOf: pixels[y * bytesPerRow..<y * bytesPerRow + width * 4])
            }
        }
        guard !isOpaque else {
            return bytes
        }
        for index in stride(from: 0, to: bytes.count, by: 4) {
            let alpha = Int(bytes[index + 3])
            guard alpha != 255 else {
                continue
            }
            for channel in index..<index + 3 {
                bytes[channel] = alpha == 0 ? 0 : UInt8(min(255, (Int(bytes[channel]) * 255 + alpha / 2) / alpha))
            }
        }
        return bytes
    }

    /// The premultiplied pixels without padding.
    func premultipliedBytes() -> [UInt8] {
        withUnsafeBytes { pixels in
            (0..<height).flatMap { y in Array(pixels[y * bytesPerRow..<y * bytesPerRow + width * 4]) }
        }
    }
}
