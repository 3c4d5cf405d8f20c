import HalcyonRaster
import Testing

@Suite("Counts that files state")
struct SaturatingCountTests {
    @Test("sums and products that do not fit are the greatest number")
    func saturation() {
        let greatest = SaturatingCount(Int.max)
        let side = SaturatingCount(UInt32.max)
        #expect(side * side * 4 == greatest)
        #expect(greatest + 1 == greatest)
        #expect(greatest + greatest == greatest)
        #expect(greatest * 0 == 0)
        #expect(SaturatingCount(UInt64.max) == greatest)
        #expect(PixelSize(Int.max, 2).pixelCount == greatest)
    }

    @Test("sums and products that fit are exact, and nothing is below zero")
    func exactness() {
        var count = SaturatingCount(3) * 5 + 7
        count += 20
        #expect(count.value == 42)
        #expect(SaturatingCount(-1) == 0)
        #expect(SaturatingCount(2) < 3)
        #expect(PixelSize(3, 4).pixelCount == 12)
    }
}
