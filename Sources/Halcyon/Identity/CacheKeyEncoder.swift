internal import HalcyonRaster

/// Writes values into bytes in a canonical form: equal values give equal bytes and different ones different bytes, in
/// this process and in every later one.
///
/// Each value is preceded by a tag and, where its length varies, by its length; no two sequences of calls give the same
/// bytes. ``ImageProcessing/encodeParameters(into:)`` describes a processor with it.
public struct CacheKeyEncoder: Sendable {
    private(set) var bytes: [UInt8] = []

    init() {}

    /// Adds text.
    public mutating func encode(_ value: String) {
        bytes.append(1)
        append(UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    /// Adds an integer.
    public mutating func encode(_ value: Int) {
        bytes.append(2)
        append(UInt64(bitPattern: Int64(value)))
    }

    /// Adds a number. Zero and negative zero are the same; every "not a number" is the same.
    public mutating func encode(_ value: Double) {
        bytes.append(3)
        let canonical = value == 0 ? 0 : value.isNaN ? Double.nan : value
        append(canonical.bitPattern)
    }

    /// Adds a Boolean value.
    public mutating func encode(_ value: Bool) {
        bytes.append(value ? 5 : 4)
    }

    /// Adds bytes.
    public mutating func encode(_ value: [UInt8]) {
        bytes.append(6)
        append(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Adds the beginning of the encoding of an image, which is no value of any other kind.
    mutating func beginEncoding() {
        bytes.append(7)
    }

    /// Adds the beginning of the size that an image has in a place that it shares with other sizes.
    mutating func beginTargetSize() {
        bytes.append(8)
    }

    private mutating func append(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

extension Color {
    /// Writes the four components.
    func encode(into encoder: inout CacheKeyEncoder) {
        encoder.encode(red)
        encoder.encode(green)
        encoder.encode(blue)
        encoder.encode(alpha)
    }
}
