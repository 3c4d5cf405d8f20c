import CRasterKernels
import Testing

/// The processor that runs the tests uses one variant only; the others must not rot.
@Suite("every variant of the resampling kernels gives the same bits")
struct KernelVariantTests {
    /// Returns the place of a sample in woven rows, as the header describes it.
    private static func wovenIndex(pixel: Int, row: Int, channel: Int) -> Int {
        pixel / 2 * Int(HALCYON_WOVEN_PAIR) + row * 8 + channel * 2 + pixel % 2
    }

    @Test("sums of rows, for counts around the width of each vector")
    func sumsOfRowsAgree() {
        var random = SplitMix(seed: 41)
        for count in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 25, 31, 32, 33, 50] {
            for taps in 1...9 {
                let rows = (0..<taps * 256).map { _ in UInt8.random(in: 0...255, using: &random) }
                let weights = (0..<taps).map { _ in Int16.random(in: -3_000...3_500, using: &random) }
                let row = taps % 4
                // The other rows, and what is beyond the count, stay as they are.
                let untouched = [Int16](repeating: 0x5A5A, count: 26 * Int(HALCYON_WOVEN_PAIR))
                // Plain arithmetic, as the header describes it.
                var expected = untouched
                for i in 0..<count * 4 {
                    let sum = (0..<taps).reduce(0) { $0 + Int(rows[$1 * 256 + i]) * Int(weights[$1]) }
                    expected[Self.wovenIndex(pixel: i / 4, row: row, channel: i % 4)] = Int16((sum + 128) >> 8)
                }
                func check(_ name: String, _ kernel: (UnsafeMutablePointer<Int16>) -> Void) {
                    var out = untouched
                    out.withUnsafeMutableBufferPointer { kernel($0.baseAddress! + row * 8) }
                    #expect(out == expected, "\(name), \(count) pixels, \(taps) taps")
                }
                check("chosen") { halcyon_sum_rows(rows, 256, weights, taps, 8, $0, count) }
                check("portable") { halcyon_sum_rows_portable(rows, 256, weights, taps, 8, $0, count) }
                #if arch(x86_64)
                if halcyon_has_avx2() {
                    check("AVX2") { halcyon_sum_rows_avx2(rows, 256, weights, taps, 8, $0, count) }
                }
                if halcyon_prefers_avx512() {
                    check("AVX-512") { halcyon_sum_rows_avx512(rows, 256, weights, taps, 8, $0, count) }
                }
                #endif
            }
        }
    }

    @Test("sums of pixels, limits included, for one to four rows", arguments: 1...4)
    func sumsOfPixelsAgree(rowCount: Int) {
        var random = SplitMix(seed: 42)
        for taps in [2, 4, 8, 12, 22] {
            for count in [1, 2, 3, 4, 7, 16, 33] {
                let source = (0..<(40 + taps) / 2 * Int(HALCYON_WOVEN_PAIR)).map { _ in
                    Int16.random(in: -3_000...20_000, using: &random)
                }
                let starts = (0..<count).map { _ in Int32.random(in: 0...20, using: &random) * 2 }
                let weights = (0..<count * taps).map { _ in Int16.random(in: -2_000...8_000, using: &random) }
                let bytesPerRow = count * 4 + 3
                let untouched = [UInt8](repeating: 0x5A, count: bytesPerRow * 4)
                var expected = untouched
                for row in 0..<rowCount {
                    for o in 0..<count {
                        let sums = (0..<4).map { channel in
                            let sum = (0..<taps).reduce(0) {
                                let index = Self.wovenIndex(pixel: Int(starts[o]) + $1, row: row, channel: channel)
                                return $0 + Int(source[index]) * Int(weights[o * taps + $1])
                            }
                            return min(max((sum + (1 << 18)) >> 19, 0), 255)
                        }
                        for channel in 0..<4 {
                            expected[row * bytesPerRow + o * 4 + channel] = UInt8(min(sums[channel], sums[3]))
                        }
                    }
                }
                func check(_ name: String, _ kernel: (inout [UInt8]) -> Void) {
                    var out = untouched
                    kernel(&out)
                    #expect(out == expected, "\(name), \(count) pixels, \(taps) taps")
                }
                check("chosen") {
                    halcyon_sum_pixels(source, starts, weights, taps, 19, &$0, bytesPerRow, rowCount, count)
                }
                check("portable") {
                    halcyon_sum_pixels_portable(source, starts, weights, taps, 19, &$0, bytesPerRow, rowCount, count)
                }
                #if arch(x86_64)
                if halcyon_has_avx2() {
                    check("AVX2") {
                        halcyon_sum_pixels_avx2(source, starts, weights, taps, 19, &$0, bytesPerRow, rowCount, count)
                    }
                }
                if halcyon_prefers_avx512() {
                    check("AVX-512") {
                        halcyon_sum_pixels_avx512(source, starts, weights, taps, 19, &$0, bytesPerRow, rowCount, count)
                    }
                }
                #endif
            }
        }
    }
}
