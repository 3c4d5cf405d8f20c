internal import ArgumentParser

/// A number of bytes as "500000", "500k", "100M" or "2G"; a k is 1,000.
struct ByteCountArgument: ExpressibleByArgument, Sendable, Hashable {
    let byteCount: Int

    init?(argument: String) {
        let units: [Character: Int] = ["k": 1_000, "m": 1_000_000, "g": 1_000_000_000]
        let lowercased = argument.lowercased()
        let unit = lowercased.last.flatMap { units[$0] }
        guard let number = Int(unit == nil ? lowercased[...] : lowercased.dropLast()), number >= 0 else { return nil }
        let (product, overflows) = number.multipliedReportingOverflow(by: unit ?? 1)
        guard !overflows else { return nil }
        byteCount = product
    }
}
