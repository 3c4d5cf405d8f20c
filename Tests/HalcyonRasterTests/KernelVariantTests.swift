import CRasterKernels
import Testing

/// The processor that runs the tests uses one variant only; the others must not rot.
@Suite("every variant of the resampling kernels gives the same bits")
struct KernelVariantTests {
    @Test("sums of rows, for counts around the width of each vector")
    func sumsOfRowsAgree() {
        var random = SplitMix(seed: 41)
        for count in [1, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 200] {
            for taps in 1...9 {
                let rows = (0..<taps * 256).map { _ in UInt8.random(in: 0...255, using: &random) }
                let weights = (0..<taps).map { _ in Int16.random(in: -3_000...3_500, using: &random) }
                // Plain arithmetic, as the header describes it.
                let expected = (0..<count).map { i in
                    let sum = (0..<taps).reduce(0) { $0 + Int(rows[$1 * 256 + i]) * Int(weights[$1]) }
                    return Int16((sum + 128) >> 8)
                }
                func check(_ name: String, _ kernel: (inout [Int16]) -> Void) {
                    // Two more, to see that nothing is written beyond the count.
                    var out = [Int16](repeating: 0x5A5A, count: count + 2)
                    kernel(&out)
                    #expect(out == expected + [0x5A5A, 0x5A5A], "\(name), \(count) samples, \(taps) taps")
                }
                check("chosen") { halcyon_sum_rows(rows, 256, weights, taps, 8, &$0, count) }
                check("portable") { halcyon_sum_rows_portable(rows, 256, weights, taps, 8, &$0, count) }
                #if arch(x86_64)
                if halcyon_has_avx2() {
                    check("AVX2") { halcyon_sum_rows_avx2(rows, 256, weights, taps, 8, &$0, count) }
                }
                #endif
            }
        }
    }

    @Test("sums of pixels, limits included")
    func sumsOfPixelsAgree() {
        var random = SplitMix(seed: 42)
        for taps in [4, 8, 12, 20] {
            for count in [1, 2, 7, 16, 33] {
                let source = (0..<(40 + taps) * 4).map { _ in Int16.random(in: -3_000...20_000, using: &random) }
                let starts = (0..<count).map { _ in Int32.random(in: 0...40, using: &random) }
                let weights = (0..<count * taps).map { _ in Int16.random(in: -2_000...8_000, using: &random) }
                let expected = (0..<count).flatMap { o -> [UInt8] in
                    let sums = (0..<4).map { channel in
                        let sum = (0..<taps).reduce(0) {
                            $0 + Int(source[(Int(starts[o]) + $1) * 4 + channel]) * Int(weights[o * taps + $1])
                        }
                        return min(max((sum + (1 << 18)) >> 19, 0), 255)
                    }
                    return sums.map { UInt8(min($0, sums[3])) }
                }
                func check(_ name: String, _ kernel: (inout [UInt8]) -> Void) {
                    var out = [UInt8](repeating: 0x5A, count: count * 4 + 2)
                    kernel(&out)
                    #expect(out == expected + [0x5A, 0x5A], "\(name), \(count) pixels, \(taps) taps")
                }
                check("chosen") { halcyon_sum_pixels(source, starts, weights, taps, 19, &$0, count) }
                check("portable") { halcyon_sum_pixels_portable(source, starts, weights, taps, 19, &$0, count) }
            }
        }
    }
}
