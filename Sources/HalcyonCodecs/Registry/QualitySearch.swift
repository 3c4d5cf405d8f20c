internal import FoundationEssentials

/// Finds the highest quality at which an image takes no more bytes than allowed, in few attempts.
struct QualitySearch {
    /// A quality and the size it leads to. Sizes grow by about the same factor from one quality to the next, so that
    /// the search goes by their logarithms.
    private struct Attempt {
        let quality: Int
        let byteCount: Int

        var magnitude: Double { Double(max(1, byteCount)).logarithm }
    }

    /// Between the lowest quality and the one asked for.
    private static let attemptCount = 6
    /// The share of the allowed bytes from which on a file is full enough.
    private static let sufficientShare = 0.95

    private let format: ImageFormat
    private let options: EncodeOptions

    init(_ format: ImageFormat, _ options: EncodeOptions) {
        self.format = format
        self.options = options
    }

    /// Returns the result of `encode` at the quality asked for, or at the highest below it that fits; the smaller one of
    /// the first and the lowest quality if none does.
    ///
    /// A format without a quality shows as one that takes too many bytes at the lowest quality as well.
    func data<Failure: Error>(_ encode: (EncodeOptions) throws(Failure) -> Data) throws(Failure) -> Data {
        let first = try encode(options)
        guard let maximum = options.maximumByteCount, first.count > maximum else {
            return first
        }
        var best = try encode(withQuality(1))
        guard best.count <= maximum else { return best.count < first.count ? best : first }
        var fitting = Attempt(quality: 1, byteCount: best.count)
        // Lossless lies above all qualities.
        var tooLarge = Attempt(quality: options.quality.map { min(max($0, 1), 100) } ?? 101, byteCount: first.count)
        for number in 0..<Self.attemptCount {
            guard tooLarge.quality - fitting.quality > 1,
                Double(fitting.byteCount) < Self.sufficientShare * Double(maximum)
            else {
                break
            }
            // Halving now and then, because sizes that do not grow evenly can keep the guesses on one side.
            let guess =
                number % 3 == 2
                ? (fitting.quality + tooLarge.quality) / 2 : Self.guess(between: fitting, tooLarge, maximum)
            let data = try encode(withQuality(guess))
            if data.count <= maximum {
                best = data
                fitting = Attempt(quality: guess, byteCount: data.count)
            } else {
                tooLarge = Attempt(quality: guess, byteCount: data.count)
            }
        }
        return best
    }

    /// Returns what ``data(_:)`` has found.
    ///
    /// - Throws: ``CodecError/tooManyBytes(_:byteCount:maximum:)`` if it does not fit.
    func checked(_ data: Data) throws(CodecError) -> Data {
        guard let maximum = options.maximumByteCount, data.count > maximum else { return data }
        throw .tooManyBytes(format, byteCount: data.count, maximum: maximum)
    }

    private func withQuality(_ quality: Int) -> EncodeOptions {
        var options = options
        options.quality = quality
        return options
    }

    private static func guess(between fitting: Attempt, _ tooLarge: Attempt, _ maximum: Int) -> Int {
        let goal = Double(max(1, maximum)).logarithm
        let span = tooLarge.magnitude - fitting.magnitude
        let share = span > 0 ? (goal - fitting.magnitude) / span : 0.5
        let guess = fitting.quality + Int(share * Double(tooLarge.quality - fitting.quality))
        return min(max(guess, fitting.quality + 1), tooLarge.quality - 1)
    }
}

extension Double {
    /// To base 2, of a positive number, accurate enough to guess by: exponent plus significand.
    fileprivate var logarithm: Double { Double(exponent) + significand - 1 }
}
