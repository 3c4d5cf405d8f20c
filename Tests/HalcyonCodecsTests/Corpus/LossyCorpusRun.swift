import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import HalcyonTesting

/// Runs a decoder over every image of a format and notes where it differs from what the manifest states; pixels of
/// lossy images by their means.
struct LossyCorpusRun {
    /// Pixels hashed of one image, because Swift takes some 50 times as long without optimisation.
    private static let greatestHashedPixelCount = 400_000
    /// Pixels averaged of one image, evenly spread rows of it.
    private static let averagedPixelCount = 60_000

    private(set) var checkedCount = 0
    private(set) var decodedCount = 0
    private(set) var hashedCount = 0
    private(set) var failures: [String: String] = [:]

    private let decoder: any ImageDecoder
    private let limits = DecodeLimits(pixelCount: 1 << 26)

    init(format: String, decoder: any ImageDecoder) throws {
        self.decoder = decoder
        for row in try PixelCorpus.rows(format: format) {
            checkedCount += 1
            failures[row.path] = try check(row)
        }
    }

    private mutating func check(_ row: PixelCorpusRow) throws -> String? {
        let data = try PixelCorpus.data(row.path)
        // Of a file that its suite wants rejected, a part may be shown.
        let damage = row.expectation == "must-be-rejected" ? DamageHandling.isRefused : .showsWhatIsThere
        let result = Result { try decode(data, damage: damage) }
        switch (row.expectation, result) {
        case ("must-be-rejected", .success):
            return "was accepted"
        case ("decodes", .failure(let error)):
            return "\(error)"
        case ("decodes", .success(let image)):
            decodedCount += 1
            return try compareHeader(image, data, row) ?? comparePixels(image, data, row)
        case (_, .failure(let error)) where !(error is CodecError):
            return "an error of another type: \(error)"
        default:
            return nil
        }
    }

    private func decode(
        _ data: Data,
        target: PixelSize? = nil,
        frame: Int = 0,
        damage: DamageHandling = .showsWhatIsThere
    ) throws -> DecodedImage {
        var options = DecodeOptions(targetSize: target, frame: frame, color: .asStored, limits: limits)
        options.damage = damage
        return try decoder.decode(data, options: options, isCancelled: { false })
    }

    private func compareHeader(_ image: DecodedImage, _ data: Data, _ row: PixelCorpusRow) throws -> String? {
        let info = try decoder.info(of: data, limits: limits)
        guard info == image.info else {
            return "the header alone says something else"
        }
        guard info.size == row.size else {
            return "size \(info.size) instead of \(row["width"])×\(row["height"])"
        }
        let displaySize = "\(row["display_width"])×\(row["display_height"])"
        guard info.displaySize.description == displaySize, image.size == info.displaySize else {
            return "shown as \(info.displaySize), bitmap of \(image.size), instead of \(displaySize)"
        }
        if let orientation = Int(row["exif_orientation"]), orientation != info.orientation.rawValue {
            return "orientation \(info.orientation) instead of \(orientation)"
        }
        if row["alpha"] != "none", !row["alpha"].isEmpty, !info.hasAlpha {
            return "no alpha"
        }
        guard info.frameCount == row.frameCount ?? 1 else {
            return "\(info.frameCount) frames instead of \(row["frames"])"
        }
        guard info.frameCount > 1 else {
            return nil
        }
        if let loop = Int(row["loop"]), loop != info.loopCount {
            return "plays \(info.loopCount.map(String.init) ?? "?") times instead of \(loop)"
        }
        // The list in the manifest may end in an ellipsis.
        let durations = row["durations_ms"].split(separator: ",").compactMap { Int($0) }
        return info.frameDurations.starts(with: durations)
            ? nil : "its frames stay \(info.frameDurations) instead of \(durations)"
    }

    private mutating func comparePixels(_ image: DecodedImage, _ data: Data, _ row: PixelCorpusRow) throws -> String? {
        let expected = Self.means(of: row)
        if let failure = Self.difference(image.bitmap, expected, tolerance: 3) {
            return failure
        }
        // A still smaller image than any scale offers, so that the smallest is used.
        let target = PixelSize(max(1, image.size.width / 16), max(1, image.size.height / 16))
        let small = try decode(data, target: target)
        guard small.size.width >= target.width * 2 || small.size == image.size, small.info == image.info else {
            return "\(small.size) for a target of \(target)"
        }
        // The last column and row of a scaled image can stand for a part of an 8 × 8 block only, and weigh too much
        // in the means of a small one.
        let isLarge = min(image.size.width, image.size.height) >= 200
        if isLarge, let failure = Self.difference(small.bitmap, expected, tolerance: 4) {
            return "scaled: \(failure)"
        }
        if row.pixelCheck == "exact", !row.hasPartialAlpha, image.size.area <= Self.greatestHashedPixelCount {
            hashedCount += 1
            guard Self.hash([image.bitmap]) == row["sha256_rgba8"] else {
                return "its pixels differ"
            }
        }
        if image.info.frameCount > 1 {
            return try compareFrames(image, data, row)
        }
        return nil
    }

    private mutating func compareFrames(_ image: DecodedImage, _ data: Data, _ row: PixelCorpusRow) throws -> String? {
        let count = image.info.frameCount
        let isHashed =
            !row["sha256_frames"].isEmpty && !row.hasPartialAlpha
            && row.totalPixelCount <= 5 * Self.greatestHashedPixelCount
        guard isHashed else {
            _ = try decode(data, frame: count - 1)
            return nil
        }
        hashedCount += 1
        return try FrameReader.hash(data, decoder).hash == row["sha256_frames"]
            ? nil : "the pixels of its \(count) frames differ"
    }

    private static func hash(_ bitmaps: [Bitmap]) -> String {
        var hash = SHA256()
        for bitmap in bitmaps {
            hash.update(bitmap.straightBytes())
        }
        return hash.finish()
    }

    /// The means the manifest states. It counts the colours of transparent pixels as well, which premultiplied pixels
    /// do not have, so that of images with alpha only the mean of alpha can be compared.
    private static func means(of row: PixelCorpusRow) -> [Double?] {
        let means: [Double?] = row["mean_rgba"].split(separator: ",").map { Double($0) }
        guard means.count == 4 else {
            return []
        }
        return row["alpha"] == "none" ? means : [nil, nil, nil, means[3]]
    }

    private static func difference(_ bitmap: Bitmap, _ expected: [Double?], tolerance: Double) -> String? {
        let means = means(of: bitmap)
        let isNear = zip(means, expected).allSatisfy { mean, expected in abs(mean - (expected ?? mean)) <= tolerance }
        return isNear ? nil : "its means are \(means) instead of \(expected)"
    }

    /// Means of straight red, green, blue and alpha, colours of transparent pixels counting as 0.
    private static func means(of bitmap: Bitmap) -> [Double] {
        let step = max(1, bitmap.size.area / averagedPixelCount)
        var sums = [0, 0, 0, 0]
        var count = 0
        bitmap.withUnsafeBytes { pixels in
            for y in stride(from: 0, to: bitmap.height, by: min(step, bitmap.height)) {
                for x in 0..<bitmap.width {
                    let offset = y * bitmap.bytesPerRow + x * 4
                    let alpha = Int(pixels[offset + 3])
                    for channel in 0..<3 where alpha > 0 {
                        sums[channel] += (Int(pixels[offset + channel]) * 255 + alpha / 2) / alpha
                    }
                    sums[3] += alpha
                    count += 1
                }
            }
        }
        return sums.map { Double($0) / Double(count) }
    }
}
