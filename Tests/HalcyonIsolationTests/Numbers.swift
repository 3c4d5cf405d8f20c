/// Made-up numbers, of which many are small, or near a power of two.
struct Numbers {
    private var state: UInt64

    init(seed: Int) {
        state = UInt64(seed + 1) &* 0x9e37_79b9_7f4a_7c15
    }

    /// Returns a number below `count`.
    mutating func next(_ count: UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) % count
    }

    mutating func number() -> UInt64 {
        let power: UInt64 = 1 << next(64)
        return switch next(4) {
        case 0: next(200)
        case 1: power
        case 2: power &- 1
        default: power &+ next(1_000)
        }
    }
}
