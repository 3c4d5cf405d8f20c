import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import HalcyonTesting

/// Runs a decoder over every image of a format whose pixels other decoders agree on only roughly: sizes, frames, means,
/// and hashes where there are any.
struct FormatCorpusRun {
    /// Pixels of images that are hashed and averaged, because Swift takes some 50 times as long without optimisation.
    private static let greatestComparedPixelCount = 1_000_000
    private static let meanTolerance = 3.0

    private(set) var checkedCount = 0
    private(set) var hashedCount = 0
    private(set) var failures: [String: String] = [:]

    private let decoder: any ImageDecoder

    init(format: String, decoder: any ImageDecoder) throws {
        self.decoder = decoder
        for row in try PixelCorpus.rows(format: format) {
            checkedCount += 1
            failures[row.path] = try check(row)
        }
    }

    private mutating func check(_ row: PixelCorpusRow) throws -> String? {
        let data = try PixelCorpus.data(row.path)
        // The corpora's own advice for damaged files.
        let limits = row.expectation == "decodes" ? DecodeLimits() : DecodeLimits(memory: 192 << 20)
        // Of a file that its suite wants rejected, a part may be shown.
        let damage = row.expectation == "must-be-rejected" ? DamageHandling.isRefused : .showsWhatIsThere
        let options = DecodeOptions(color: .asStored, limits: limits, damage: damage)
        let result = Result { try decoder.decode(data, options: options, isCancelled: { false }) }
        switch (row.expectation, result) {
        case ("must-be-rejected", .success): return "was accepted"
        case ("decodes", .failure(let error)): return "\(error)"
        case ("decodes", .success(let image)): return try compare(image, data, row)
        case (_, .failure(let error)) where !(error is CodecError): return "an error of another type: \(error)"
        default: return nil
        }
    }

    private mutating func compare(_ image: DecodedImage, _ data: Data, _ row: PixelCorpusRow) throws -> String? {
        let info = try decoder.info(of: data, limits: .standard)
        guard info == image.info else {
            return "the header alone says something else"
        }
        // These formats are measured after the orientation was applied.
        guard info.displaySize == row.size, image.size == info.displaySize else {
            return "shown as \(info.displaySize) with \(image.size) pixels instead of \(row["width"])×\(row["height"])"
        }
        // Frames of JPEG XL are not counted in the list.
        if info.format == .tiff, let count = row.frameCount, info.frameCount != count {
            return "\(info.frameCount) frames instead of \(count)"
        }
        guard image.size.area <= Self.greatestComparedPixelCount else {
            return nil
        }
        let samples = image.bitmap.straightRGBA()
        if row.pixelCheck == "exact", !row.hasPartialAlpha {
            hashedCount += 1
            var hash = SHA256()
            hash.update(samples)
            return hash.finish() == row["sha256_rgba8"] ? nil : "its pixels differ"
        }
        return compareMeans(samples, row)
    }

    /// The list also counts the colours that transparent pixels hide, so that those may be anything.
    private func compareMeans(_ samples: [UInt8], _ row: PixelCorpusRow) -> String? {
        let stated = row["mean_rgba"].split(separator: ",").compactMap { Double($0) }
        guard stated.count == 4 else {
            return nil
        }
        var sums = [0, 0, 0, 0]
        var transparentCount = 0
        samples.withUnsafeBufferPointer { samples in
            for index in stride(from: 0, to: samples.count, by: 4) {
                for channel in 0..<4 { sums[channel] &+= Int(samples[index + channel]) }
                transparentCount += samples[index + 3] == 0 ? 1 : 0
            }
        }
        let count = Double(samples.count / 4)
        let means = sums.map { Double($0) / count }
        for channel in 0..<4 {
            let hidden = channel < 3 ? 255 * Double(transparentCount) / count : 0
            let range = means[channel] - Self.meanTolerance...means[channel] + hidden + Self.meanTolerance
            guard range.contains(stated[channel]) else {
                return "its means are \(means) instead of \(stated)"
            }
        }
        return nil
    }
}
