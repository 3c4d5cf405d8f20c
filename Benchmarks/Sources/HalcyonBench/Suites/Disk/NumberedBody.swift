internal import FoundationEssentials

/// Bodies of one size that all differ, as images do: the cache keeps equal ones once.
struct NumberedBody {
    private var bytes: Data
    private var number: UInt64

    /// - Parameter firstNumber: Other bodies for each.
    init(size: Int, firstNumber: UInt64 = 0) {
        var random = SeededRandom(seed: 8)
        bytes = Data(random.bytes(max(size, 8)))
        number = firstNumber
    }

    /// The next one. Takes no copy unless the last one is still held.
    mutating func next() -> Data {
        number += 1
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: number, as: UInt64.self) }
        return bytes
    }
}
