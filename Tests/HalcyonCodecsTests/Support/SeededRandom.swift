import FoundationEssentials

/// Random numbers that are the same in every run (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }

    /// A number from 0 to below `bound`.
    mutating func next(below bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    /// The same bytes with one to eight of them changed, and sometimes cut.
    mutating func damage(_ data: Data) -> Data {
        var bytes = [UInt8](data)
        for _ in 0..<Int.random(in: 1...8, using: &self) {
            bytes[Int.random(in: 2..<bytes.count, using: &self)] = UInt8.random(in: 0...255, using: &self)
        }
        if Int.random(in: 0..<4, using: &self) == 0 {
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &self))
        }
        return Data(bytes)
    }
}
