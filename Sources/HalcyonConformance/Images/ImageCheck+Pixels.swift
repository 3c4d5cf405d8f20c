internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonTesting

extension ImageCheck {
    /// The greatest distance of the means from those of other decoders, of 255: the list's own advice.
    private static let meanTolerance = 3.0
    /// The greatest distance of a sample from the suite's own, of 255: five bits that are shifted instead of scaled.
    private static let referenceTolerance = 8
    /// The greatest distance of the samples of a lossy image from those of another decoder, as the root of their mean
    /// square.
    private static let errorTolerance = 4.0
    /// The same for drawings, whose edges fall on other pixels with every program. A line of one pixel around a drawing
    /// of 300 makes 29, so that a thing that is missing or of another colour is well beyond.
    private static let drawingErrorTolerance = 20.0
    /// The greatest distance of a sample from the suite's own where a premultiplied pipeline cannot be exact.
    private static let premultipliedTolerance = 2
    /// The words behind the root of a mean square in a verdict.
    static let distanceWords = "from the suite's own pixels in the root mean square"

    /// The first frame, then all of them.
    func comparePixels(_ data: Data, _ info: ImageInfo) throws -> ImageVerdict {
        var remarks: [String] = []
        switch row.pixelCheck {
        case .exact, .single, .highBytes:
            remarks += try compareHash(data)
        case .reference, .tolerance:
            remarks += try compareApproximately(data)
        case .none:
            remarks.append("pixels not compared: \(row["pixel_check"].isEmpty ? "none stated" : row["pixel_check"])")
        }
        if info.frameCount > 1 {
            remarks += try compareFrames(data, count: info.frameCount)
        }
        return .pass(remarks.joined(separator: "; "))
    }

    /// The pixels as stored.
    func storedPixels(_ data: Data, premultiplies: Bool, keepsSixteenBits: Bool = false) throws -> StraightPixels {
        var options = DecodeOptions(color: .asStored, appliesOrientation: row.isMeasuredUpright)
        options.premultiplies = premultiplies
        options.keepsSixteenBits = keepsSixteenBits
        let image = try codecs.decode(data, options: options)
        let expected = row.isMeasuredUpright ? image.info.displaySize : image.info.size
        guard image.size == expected else {
            throw ImageMismatch("a bitmap of \(image.size) pixels, although \(expected) are stored")
        }
        return StraightPixels(image.bitmap, isPremultiplied: premultiplies)
    }

    private func compareHash(_ data: Data) throws -> [String] {
        guard let hash = row.pixelHash else { return ["no hash stated"] }
        let pixels = try storedPixels(data, premultiplies: false)
        if pixels.hash == hash { return [] }
        if row.pixelCheck == .highBytes {
            let sixteen = try storedPixels(data, premultiplies: false, keepsSixteenBits: true)
            if sixteen.hash == hash { return ["16 bits, by their high bytes"] }
        }
        // Beyond this, only what the list itself does not call exact may still be near enough.
        if row.pixelCheck != .exact || row.hasPartialAlpha, let difference = greatestDifference(from: pixels) {
            let tolerance = row.hasPartialAlpha ? Self.premultipliedTolerance : 1
            if difference <= tolerance { return ["within \(tolerance) of the suite's own pixels"] }
        }
        if row.pixelCheck == .single, let means = row.means, pixels.isNear(means, tolerance: Self.meanTolerance) {
            return ["differs from the one decoder that the hash is from, but not in its means"]
        }
        throw ImageMismatch("its pixels differ (means \(pixels.meansText) instead of \(row["mean_rgba"]))")
    }

    private func compareApproximately(_ data: Data) throws -> [String] {
        let pixels = try storedPixels(data, premultiplies: true)
        var remarks: [String] = []
        // The suite's own pixels say more than means.
        let error = row.isVector ? try drawingError(data) : rootMeanSquareError(of: pixels)
        let errorText = error.map { "\($0.text(1)) \(Self.distanceWords)" }
        if let error, let errorText, error <= (row.isVector ? Self.drawingErrorTolerance : Self.errorTolerance) {
            return [errorText]
        }
        if let means = row.means, !pixels.isNear(means, tolerance: Self.meanTolerance) {
            if let remark = try otherReading(of: means, data, pixels) { return [remark] }
            let stated = row["mean_rgba"]
            throw ImageMismatch(
                "its means are \(pixels.meansText) instead of \(stated)" + (errorText.map { ", \($0)" } ?? "")
            )
        }
        if row.pixelCheck == .reference {
            guard let difference = greatestDifference(from: pixels) else {
                return remarks + ["the suite's own pixels are of another kind"]
            }
            guard difference <= Self.referenceTolerance else {
                throw ImageMismatch("its samples are up to \(difference) from the suite's own")
            }
        } else if let errorText {
            // Of AVIF suites have the image that was encoded, and any frame of an animation.
            guard row.isVector || row.format == "avif" else {
                throw ImageMismatch("it is \(errorText)")
            }
            remarks.append(errorText)
        } else if row.means == nil {
            remarks.append("neither means nor pixels stated")
        }
        return remarks
    }

    /// Returns a remark where the means of the list are those of another reading: JPEG XL in linear light, or the last
    /// frame of an animation.
    private func otherReading(of means: [Double], _ data: Data, _ pixels: StraightPixels) throws -> String? {
        guard row.format == "jxl" else { return nil }
        if pixels.inLinearLight.isNear(means, tolerance: Self.meanTolerance) {
            return "the means stated are of linear light"
        }
        let count = try codecs.info(of: data).frameCount
        guard count > 1 else { return nil }
        var cursor = try codecs.decoder(for: data).cursor(for: data, options: DecodeOptions(color: .asStored))
        let last = StraightPixels(try cursor.bitmap(ofFrame: count - 1) { false }, isPremultiplied: true)
        return last.isNear(means, tolerance: Self.meanTolerance) ? "the means stated are of the last frame" : nil
    }

    /// All frames as composed, one hash over them.
    private func compareFrames(_ data: Data, count: Int) throws -> [String] {
        let options = DecodeOptions(color: .asStored, appliesOrientation: row.isMeasuredUpright)
        var cursor = try codecs.decoder(for: data).cursor(for: data, options: options)
        guard let expected = row.framesHash, !row.hasPartialAlpha else {
            try readFrames(&cursor, count: count)
            return row.framesHash == nil ? [] : ["frames not compared: composed with partial alpha"]
        }
        var hash = SHA256()
        for frame in 0..<count {
            let bitmap = try cursor.bitmap(ofFrame: frame) { false }
            hash.update(StraightPixels(bitmap, isPremultiplied: true).bytes)
        }
        let actual = hash.finish()
        guard actual == expected else {
            throw ImageMismatch("the pixels of its \(count) frames differ (\(actual.prefix(8)))")
        }
        return []
    }
}
