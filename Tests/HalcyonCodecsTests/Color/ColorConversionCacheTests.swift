import FoundationEssentials
import Testing

@testable import HalcyonCodecs

@Suite("the cache of colour conversions")
struct ColorConversionCacheTests {
    @Test("makes each conversion once, also those that there are none of")
    func hits() {
        let cache = ColorConversionCache(countLimit: 4, byteLimit: 1_000)
        var made = 0
        for _ in 0..<3 {
            for transfer in [8, 13] {
                let conversion = cache.conversion(for: .codePoints(primaries: 1, transfer: transfer)) {
                    made += 1
                    return ColorConversion(.codePoints(primaries: 1, transfer: transfer))
                }
                #expect((conversion == nil) == (transfer == 13))
            }
        }
        #expect(made == 2)
    }

    @Test("forgets the one used longest ago")
    func order() {
        let cache = ColorConversionCache(countLimit: 2, byteLimit: 1_000)
        var made: [Int] = []
        for number in [1, 2, 1, 3, 1, 2] {
            _ = cache.conversion(for: .codePoints(primaries: number, transfer: 0)) {
                made.append(number)
                return nil
            }
        }
        #expect(made == [1, 2, 3, 2])
    }

    @Test("is bounded in entries and in bytes")
    func bounds() {
        let cache = ColorConversionCache(countLimit: 10, byteLimit: 1_000)
        for count in 0..<100 {
            _ = cache.conversion(for: .icc(Data(repeating: UInt8(count), count: count * 20))) { nil }
            #expect(cache.usage.count <= 10)
            #expect(cache.usage.byteCount <= 1_000)
        }
    }
}
