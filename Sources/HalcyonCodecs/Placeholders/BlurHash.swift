public import HalcyonRaster

/// A BlurHash: a blurred image in 6 to 166 characters (https://github.com/woltapp/blurhash, Algorithm.md).
///
/// It holds the average colour and the first components of a cosine transform, and no aspect ratio: an image of any size
/// can be made of it.
///
/// ```swift
/// let hash = try BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj")
/// let bitmap = try hash.bitmap(size: PixelSize(32, 24))
/// ```
public struct BlurHash: Sendable, Hashable {
    /// The characters of the hash.
    public let text: String
    /// The number of components from left to right, from 1 to 9.
    public let horizontalComponentCount: Int
    /// The number of components from top to bottom, from 1 to 9.
    public let verticalComponentCount: Int
    /// The average colour, red in the highest of three bytes.
    private let average: Int
    /// The other components in linear light, row by row.
    private let components: [SIMD3<Double>]

    /// Reads a hash.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)``.
    public init(_ text: String) throws(CodecError) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else {
            throw .empty
        }
        let flag = try Self.number(bytes[0..<1], below: 81, "the number of components")
        horizontalComponentCount = flag % 9 + 1
        verticalComponentCount = flag / 9 + 1
        let count = 4 + 2 * horizontalComponentCount * verticalComponentCount
        guard bytes.count >= count else {
            throw .truncated(.blurHash)
        }
        guard bytes.count == count else {
            throw .corrupt(.blurHash, reason: "it has \(bytes.count) characters where its components take \(count)")
        }
        let maximum = Double(try Self.number(bytes[1..<2], below: 83, "the greatest component") + 1) / 166
        average = try Self.number(bytes[2..<6], below: 1 << 24, "the average colour")
        var components: [SIMD3<Double>] = []
        for start in stride(from: 6, to: count, by: 2) {
            let value = try Self.number(bytes[start..<start + 2], below: 19 * 19 * 19, "a component")
            components.append(maximum * Self.levels(value))
        }
        self.components = components
        self.text = text
    }

    /// The average colour of the image.
    public var averageColor: Color {
        let samples = averageSamples
        return Color(red: samples.x, green: samples.y, blue: samples.z)
    }

    /// Returns the image that the hash stands for.
    ///
    /// The work grows with the number of pixels; a view enlarges an image of 32 pixels a side without a visible
    /// difference.
    ///
    /// - Parameters:
    ///   - size: The size of the image, at most 1,024 pixels a side.
    ///   - punch: The factor of the contrast. Default: 1, the contrast of the image that was hashed.
    ///   - isCancelled: Asked between rows; once it says `true`, the work ends. Default: never.
    /// - Throws: ``CodecError/limitExceeded(_:_:)``, ``CodecError/bitmap(_:)``, `CancellationError`.
    public func bitmap(
        size: PixelSize,
        punch: Double = 1,
        isCancelled: @Sendable () -> Bool = { false }
    ) throws -> Bitmap {
        try DecodeLimits.placeholder.check(size, of: .blurHash)
        var bitmap = try Bitmap.forDecoding(size, isOpaque: true)
        let columns = CosineBasis(count: horizontalComponentCount, length: size.width, offset: 0)
        let rows = CosineBasis(count: verticalComponentCount, length: size.height, offset: 0)
        let weights = weights(punch: punch)
        let bytesPerRow = bitmap.bytesPerRow
        try bitmap.withUnsafeMutableBytes { pixels in
            for y in 0..<size.height {
                if isCancelled() {
                    throw CancellationError()
                }
                // The transform is separable: the sums over the components of a column are the same for a whole row.
                let line = (0..<horizontalComponentCount).map { x in
                    (0..<verticalComponentCount).reduce(SIMD3<Double>()) { sum, row in
                        sum + weights[row * horizontalComponentCount + x] * rows[row, y]
                    }
                }
                for x in 0..<size.width {
                    let light = line.indices.reduce(SIMD3<Double>()) { $0 + line[$1] * columns[$1, x] }
                    let offset = y * bytesPerRow + 4 * x
                    pixels[offset] = Self.sample(light.x)
                    pixels[offset + 1] = Self.sample(light.y)
                    pixels[offset + 2] = Self.sample(light.z)
                    pixels[offset + 3] = 255
                }
            }
        }
        return bitmap
    }

    private var averageSamples: SIMD3<Double> {
        SIMD3(Double(average >> 16), Double(average >> 8 & 255), Double(average & 255)) / 255
    }

    /// Returns all components in linear light, row by row.
    private func weights(punch: Double) -> [SIMD3<Double>] {
        let samples = averageSamples
        let constant = SIMD3(
            ColorShaper.decoded(samples.x),
            ColorShaper.decoded(samples.y),
            ColorShaper.decoded(samples.z)
        )
        return [constant] + components.map { $0 * punch }
    }

    /// Returns the sample for linear light; what is no number counts as dark.
    private static func sample(_ light: Double) -> UInt8 {
        UInt8(ColorShaper.encoded(light > 0 ? min(light, 1) : 0) * 255 + 0.5)
    }

    /// Returns the parts of a component, each from -1 to 1: its three digits in base 19 are squares around 9.
    private static func levels(_ value: Int) -> SIMD3<Double> {
        let digits = SIMD3(Double(value / (19 * 19)), Double(value / 19 % 19), Double(value % 19))
        let roots = (digits - 9) / 9
        return roots * SIMD3(abs(roots.x), abs(roots.y), abs(roots.z))
    }

    private static func number(
        _ text: ArraySlice<UInt8>,
        below end: Int,
        _ name: String
    ) throws(CodecError) -> Int {
        guard let value = Base83.value(of: text) else {
            throw .corrupt(.blurHash, reason: "\(name) at character \(text.startIndex) is not in base 83")
        }
        guard value < end else {
            throw .corrupt(.blurHash, reason: "\(name) at character \(text.startIndex) is \(value)")
        }
        return value
    }
}

/// The base 83 encoding of BlurHash: numbers of digits with the most significant first.
enum Base83 {
    private static let digits = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8
    )

    /// The value of each byte as a digit; -1 for those that are none.
    private static let values: [Int] = (0..<256).map { byte in digits.firstIndex(of: UInt8(byte)) ?? -1 }

    /// Returns the number that up to 9 digits stand for; `nil` where one of them is none.
    static func value(of text: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for byte in text {
            let digit = values[Int(byte)]
            guard digit >= 0 else {
                return nil
            }
            value = value * 83 + digit
        }
        return value
    }

    /// Returns the digits of a number that so many hold.
    static func text(of value: Int, count: Int) -> String {
        var (rest, text) = (value, [UInt8]())
        for _ in 0..<count {
            text.append(digits[rest % 83])
            rest /= 83
        }
        return String(decoding: text.reversed(), as: UTF8.self)
    }
}

extension ImageFormat {
    /// BlurHash: a blurred image in a line of text. Nothing in the text tells that it is one, so it is never detected.
    public static let blurHash = ImageFormat(rawValue: "blurhash")
}
