/// A number of pixels or bytes that is computed from what a file says of itself.
///
/// Sums and products that do not fit stay at `Int.max`: they never end the process, and they are beyond every limit that
/// they are then compared with.
package struct SaturatingCount: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
    /// The count, zero or more; `Int.max` where it does not fit.
    package let value: Int

    /// A count; a number below zero counts as zero.
    package init(_ value: some BinaryInteger) {
        self.value = max(0, Int(clamping: value))
    }

    package init(integerLiteral value: Int) {
        self.init(value)
    }

    package static func + (left: Self, right: Self) -> Self {
        let (sum, overflows) = left.value.addingReportingOverflow(right.value)
        return Self(overflows ? .max : sum)
    }

    package static func * (left: Self, right: Self) -> Self {
        let (product, overflows) = left.value.multipliedReportingOverflow(by: right.value)
        return Self(overflows ? .max : product)
    }

    package static func += (left: inout Self, right: Self) {
        left = left + right
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.value < right.value
    }
}

extension PixelSize {
    /// The number of pixels, to compute with.
    package var pixelCount: SaturatingCount { SaturatingCount(width) * SaturatingCount(height) }
}
