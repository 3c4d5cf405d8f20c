import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import HalcyonTesting

/// Runs a decoder over every image of a format and notes where it differs from what the manifest states.
struct CorpusRun {
    /// The number of pixels that a debug build decodes of one image, because Swift without optimisation takes some 50
    /// times as long.
    #if DEBUG
    private static let greatestPixelCount = 2_000_000
    #else
    private static let greatestPixelCount = Int.max
    #endif

    let format: String
    private(set) var checkedCount = 0
    private(set) var exactCount = 0
    private(set) var skippedCount = 0
    private(set) var failures: [String] = []
    /// Files of `knownDifferences` that do as the manifest says after all.
    private(set) var unexpectedSuccesses: [String] = []

    private let decoder: any ImageDecoder
    private let frameHash: (Data) throws -> (hash: String, count: Int)

    var summary: String {
        "\(format): \(checkedCount) files checked (\(exactCount) by exact pixels), \(skippedCount) left out for their "
            + "size, \(failures.count) failures\n" + failures.joined(separator: "\n")
    }

    /// Runs over all rows.
    ///
    /// - Parameter knownDifferences: Paths of files that are right although the manifest says otherwise, each with the
    ///   reason.
    /// - Parameter composer: Composes all frames and hashes their pixels.
    init(
        format: String,
        decoder: any ImageDecoder,
        knownDifferences: [String: String],
        composer: @escaping (Data) throws -> (hash: String, count: Int)
    ) throws {
        self.format = format
        self.decoder = decoder
        frameHash = composer
        for row in try PixelCorpus.rows(format: format) {
            let isAffordable = row.expectation != "decodes" || row.totalPixelCount <= CorpusRun.greatestPixelCount
            guard isAffordable else {
                skippedCount += 1
                continue
            }
            checkedCount += 1
            let failure = try check(row)
            if knownDifferences[row.path] != nil {
                unexpectedSuccesses += failure == nil ? [row.path] : []
            } else if let failure {
                failures.append("\(row.path): \(failure)")
            }
        }
    }

    private mutating func check(_ row: PixelCorpusRow) throws -> String? {
        let data = try PixelCorpus.data(row.path)
        // The corpora's own advice for damaged files.
        let limits = row.expectation == "decodes" ? DecodeLimits() : DecodeLimits(memory: 192 << 20)
        // Of a file that its suite wants rejected, a part may be shown.
        let damage = row.expectation == "must-be-rejected" ? DamageHandling.isRefused : .showsWhatIsThere
        let options = DecodeOptions(limits: limits, damage: damage)
        let result = Result { try decoder.decode(data, options: options, isCancelled: { false }) }
        switch (row.expectation, result) {
        case ("must-be-rejected", .success):
            return "was accepted"
        case ("decodes", .failure(let error)):
            return "\(error)"
        case ("decodes", .success(let image)):
            return try compare(image, data, row)
        default:
            return nil
        }
    }

    private mutating func compare(_ image: DecodedImage, _ data: Data, _ row: PixelCorpusRow) throws -> String? {
        guard image.info.size == row.size else {
            return "size \(image.info.size) instead of \(row["width"])×\(row["height"])"
        }
        guard try decoder.info(of: data, limits: .standard) == image.info else {
            return "the header alone says something else"
        }
        guard image.info.frameCount == row.frameCount ?? 1 else {
            return "\(image.info.frameCount) frames instead of \(row["frames"])"
        }
        if let failure = compareTiming(image.info, row) {
            return failure
        }
        if let failure = try comparePixels(image, row) {
            return failure
        }
        if !row["sha256_frames"].isEmpty, !row.hasPartialAlpha {
            let frames = try frameHash(data)
            guard frames.hash == row["sha256_frames"] else {
                return "the pixels of its \(frames.count) frames differ"
            }
        }
        return nil
    }

    private func compareTiming(_ info: ImageInfo, _ row: PixelCorpusRow) -> String? {
        guard info.frameCount > 1 else {
            return nil
        }
        // Of a GIF, the manifest has the number that the file does: of repetitions, which follow the first time.
        if let loop = Int(row["loop"]).map({ format == "gif" && $0 > 0 ? $0 + 1 : $0 }), loop != info.loopCount {
            return "plays \(info.loopCount.map(String.init) ?? "?") times instead of \(loop)"
        }
        let durations = row["durations_ms"].split(separator: ",").compactMap { Double($0) }
        if !durations.isEmpty, zip(durations, info.frameDurations).contains(where: { abs($0 - Double($1)) > 0.5 }) {
            return "its frames stay \(info.frameDurations) instead of \(row["durations_ms"])"
        }
        return nil
    }

    private mutating func comparePixels(_ image: DecodedImage, _ row: PixelCorpusRow) throws -> String? {
        let upright = image.info.orientation == .up
        if upright, ["exact", "single", "tol1"].contains(row.pixelCheck), !row.hasPartialAlpha {
            var hash = SHA256()
            hash.update(image.bitmap.straightBytes())
            exactCount += 1
            return hash.finish() == row["sha256_rgba8"] ? nil : "its pixels differ"
        }
        // Premultiplied pixels cannot give back every straight colour, so those are compared as they are.
        let references = row["reference"].split(separator: " ").flatMap { $0.split(separator: ";") }
        if upright, let path = references.first(where: { !$0.contains("_to8") && $0.contains(".rgba") }) {
            var straight = Array(try PixelCorpus.data(String(path)))
            if path.hasSuffix(".rgba16le") {
                // The high byte of each sample.
                straight = stride(from: 1, to: straight.count, by: 2).map { straight[$0] }
            }
            let expected = premultiplied(straight)
            let actual = image.bitmap.premultipliedBytes()
            exactCount += 1
            guard expected.count == actual.count else {
                return "has \(actual.count) bytes of pixels, the reference \(expected.count)"
            }
            if zip(expected, actual).contains(where: { abs(Int($0) - Int($1)) > 1 }) {
                return "its premultiplied pixels differ from the reference"
            }
        }
        return nil
    }

    private func premultiplied(_ straight: [UInt8]) -> [UInt8] {
        straight.indices.map { index in
            index % 4 == 3
                ? straight[index] : UInt8((Int(straight[index]) * Int(straight[index | 3]) * 2 + 255) / 510)
        }
    }
}
