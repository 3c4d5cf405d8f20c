internal import FoundationEssentials
internal import HalcyonRaster

/// Reads bits, of each byte the lowest first (ISO/IEC 18181-1, annex B). Behind the end, all are 0.
struct BitReaderFromLowest {
    enum Choice {
        case constant(UInt64)
        /// That many bits, to which a number is added.
        case bits(Int, UInt64 = 0)
    }

    private let data: Data
    private var position = 0
    /// Eight bytes, and where they begin: they are taken from the data together.
    private var window: UInt64 = 0
    private var windowOffset = -8

    init(_ data: Data) { self.data = data }

    var isBehindEnd: Bool { position > data.count * 8 }
    var byteOffset: Int { (position + 7) / 8 }
    var remainingByteCount: Int { max(0, data.count - byteOffset) }

    mutating func seek(toByte offset: Int) { position = min(min(offset, data.count + 1) * 8, data.count * 8 + 1) }

    mutating func alignToByte() { position = byteOffset * 8 }

    /// Skips a number of bits that a file may state.
    mutating func skip(_ count: Int) { position = min(position + count, data.count * 8 + 1) }

    /// - Parameter count: At most 32.
    mutating func next(_ count: Int = 1) -> UInt64 {
        let byte = position / 8
        if byte < windowOffset || position + count > (windowOffset + 8) * 8 {
            window = 0
            for (index, value) in data.dropFirst(byte).prefix(8).enumerated() {
                window |= UInt64(value) << UInt64(8 * index)
            }
            windowOffset = byte
        }
        let value = window >> UInt64(position - windowOffset * 8) & (1 << UInt64(count) - 1)
        skip(count)
        return value
    }

    /// A number in one of four ways, which two bits choose.
    mutating func value(_ first: Choice, _ second: Choice, _ third: Choice, _ fourth: Choice) -> UInt64 {
        let selector = next(2)
        let choice = selector < 2 ? (selector == 0 ? first : second) : (selector == 2 ? third : fourth)
        switch choice {
        case .constant(let value): return value
        case .bits(let count, let addend): return next(count) + addend
        }
    }

    mutating func uint64() -> UInt64 {
        let selector = next(2)
        if selector < 3 { return selector == 0 ? 0 : selector == 1 ? next(4) + 1 : next(8) + 17 }
        var value = next(12)
        var shift: UInt64 = 12
        while shift < 64, next() != 0 {
            value |= next(shift == 60 ? 4 : 8) << shift
            shift += 8
        }
        return value
    }

    mutating func skipExtensions() {
        let extensions = uint64()
        var count: SaturatingCount = 0
        for index in 0..<64 where extensions >> UInt64(index) & 1 != 0 { count += SaturatingCount(uint64()) }
        skip(min(count.value, data.count * 8))
    }
}
