public import FoundationEssentials
public import HalcyonRaster
internal import HalcyonSystem

/// A ThumbHash: a blurred image with its aspect ratio, and alpha if it has any, in up to 25 bytes
/// (https://github.com/evanw/thumbhash).
///
/// ```swift
/// let hash = try ThumbHash(base64: "1QcSHQRnh493V4dIh4eXh1h4kJUI")
/// let bitmap = try hash.bitmap()
/// ```
public struct ThumbHash: Sendable, Hashable {
    /// The bytes of the hash.
    public let bytes: Data
    /// The aspect ratio, width by height, from 1/7 to 7: that of the image as exactly as 7 steps a side tell it.
    public let aspectRatio: Double
    /// A Boolean value that indicates whether the image has transparent or translucent pixels.
    public let hasAlpha: Bool
    private let luminance: ThumbHashChannel
    /// Yellow, or blue where it is negative.
    private let yellow: ThumbHashChannel
    /// Red, or green where it is negative.
    private let red: ThumbHashChannel
    private let alpha: ThumbHashChannel?

    /// Reads a hash.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)``.
    public init(_ bytes: Data) throws(CodecError) {
        guard !bytes.isEmpty else {
            throw .empty
        }
        var reader = ThumbHashReader(Array(bytes))
        // The fields of the header, from the lowest bit of the first byte on.
        let luminanceAverage = Double(try reader.bits(6)) / 63
        let yellowAverage = Double(try reader.bits(6)) / 31.5 - 1
        let redAverage = Double(try reader.bits(6)) / 31.5 - 1
        let luminanceScale = Double(try reader.bits(5)) / 31
        hasAlpha = try reader.bits(1) == 1
        let shorterSide = try reader.bits(3)
        let yellowScale = Double(try reader.bits(6)) / 63
        let redScale = Double(try reader.bits(6)) / 63
        let isLandscape = try reader.bits(1) == 1
        guard shorterSide > 0 else {
            throw .corrupt(.thumbHash, reason: "its aspect ratio is zero")
        }
        let longerSide = hasAlpha ? 5 : 7
        let (width, height) = isLandscape ? (longerSide, shorterSide) : (shorterSide, longerSide)
        aspectRatio = Double(width) / Double(height)
        var alphaAverage = 1.0
        var alphaScale = 1.0
        if hasAlpha {
            alphaAverage = Double(try reader.bits(4)) / 15
            alphaScale = Double(try reader.bits(4)) / 15
        }
        luminance = try reader.channel(max(3, width), max(3, height), average: luminanceAverage, scale: luminanceScale)
        // Colours lose saturation where they are quantized, so a quarter is added.
        yellow = try reader.channel(3, 3, average: yellowAverage, scale: yellowScale * 1.25)
        red = try reader.channel(3, 3, average: redAverage, scale: redScale * 1.25)
        alpha = hasAlpha ? try reader.channel(5, 5, average: alphaAverage, scale: alphaScale) : nil
        try reader.end()
        self.bytes = bytes
    }

    /// Reads a hash in Base64, of the standard alphabet or the one for URLs (RFC 4648, sections 4 and 5), with or
    /// without padding.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)``.
    public init(base64 text: String) throws(CodecError) {
        let bytes: Data
        do {
            bytes = try Base64.data(of: Array(text.utf8), isURLSafe: true)
        } catch {
            throw .corrupt(.thumbHash, reason: error.description)
        }
        try self.init(bytes)
    }

    /// The average colour and alpha of the image.
    public var averageColor: Color {
        let color = Self.color(luminance.average, yellow.average, red.average)
        func limited(_ value: Double) -> Double { min(max(value, 0), 1) }
        let alpha = alpha?.average ?? 1
        return Color(red: limited(color.x), green: limited(color.y), blue: limited(color.z), alpha: alpha)
    }

    /// Returns the size of the image with this longest side.
    ///
    /// - Parameter longestSide: In pixels. Default: 32.
    public func size(longestSide: Int = 32) -> PixelSize {
        let shortestSide = Double(longestSide) * min(aspectRatio, 1 / aspectRatio)
        // The greatest numbers are rounded up to one that does not fit.
        let rounded = max(1, Int(exactly: shortestSide.rounded()) ?? longestSide)
        return aspectRatio > 1 ? PixelSize(longestSide, rounded) : PixelSize(rounded, longestSide)
    }

    /// Returns the image that the hash stands for.
    ///
    /// - Parameters:
    ///   - longestSide: The number of pixels of the longest side, at most 1,024. Default: 32.
    ///   - isCancelled: Asked between rows; once it says `true`, the work ends. Default: never.
    /// - Throws: ``CodecError/limitExceeded(_:_:)``, ``CodecError/bitmap(_:)``, `CancellationError`.
    public func bitmap(longestSide: Int = 32, isCancelled: @Sendable () -> Bool = { false }) throws -> Bitmap {
        guard longestSide > 0 else {
            throw CodecError.bitmap(.invalidSize(PixelSize(longestSide, longestSide)))
        }
        try DecodeLimits.placeholder.check(PixelSize(longestSide, longestSide), of: .thumbHash)
        let size = size(longestSide: longestSide)
        let columns = CosineBasis(count: 7, length: size.width, offset: 0.5)
        let rows = CosineBasis(count: 7, length: size.height, offset: 0.5)
        var samples: [UInt8] = []
        samples.reserveCapacity(size.area * 4)
        for y in 0..<size.height {
            if isCancelled() {
                throw CancellationError()
            }
            let luminance = luminance.line(y, rows)
            let yellow = yellow.line(y, rows)
            let red = red.line(y, rows)
            let alpha = alpha?.line(y, rows)
            for x in 0..<size.width {
                let color = Self.color(
                    ThumbHashChannel.value(of: luminance, at: x, columns),
                    ThumbHashChannel.value(of: yellow, at: x, columns),
                    ThumbHashChannel.value(of: red, at: x, columns)
                )
                let opacity = alpha.map { ThumbHashChannel.value(of: $0, at: x, columns) } ?? 1
                samples.append(contentsOf: [color.x, color.y, color.z, opacity].map(Self.sample))
            }
        }
        do {
            return try samples.withUnsafeBytes { rows in try Bitmap(premultiplying: rows, size: size) }
        } catch let error as BitmapError {
            throw CodecError.bitmap(error)
        }
    }

    /// Returns red, green and blue of luminance and the differences of colours.
    private static func color(_ luminance: Double, _ yellow: Double, _ redness: Double) -> SIMD3<Double> {
        let blue = luminance - 2 / 3 * yellow
        let red = (3 * luminance - blue + redness) / 2
        return SIMD3(red, red - redness, blue)
    }

    /// Returns the sample for a value of which 1 is the greatest, rounded down as the reference does.
    private static func sample(_ value: Double) -> UInt8 {
        UInt8(255 * min(max(value, 0), 1))
    }
}

extension ImageFormat {
    /// ThumbHash: a blurred image with alpha and aspect ratio in up to 25 bytes, which are never detected either.
    public static let thumbHash = ImageFormat(rawValue: "thumbhash")
}
