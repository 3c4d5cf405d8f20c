internal import FoundationEssentials
internal import HalcyonTesting

/// Damages files as transfers, broken programs and attackers do: bytes that are gone, repeated, or say something else.
struct FileMutation {
    private var random: SeededGenerator

    /// - Parameter seed: The same seed gives the same files.
    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// Returns a file with one to four faults, most of them near its beginning, where headers are.
    mutating func mutant(of file: Data) -> Data {
        var bytes = [UInt8](file)
        for _ in 0...Int.random(in: 0...3, using: &random) where bytes.count > 8 {
            damage(&bytes)
        }
        return Data(bytes)
    }

    private mutating func damage(_ bytes: inout [UInt8]) {
        let place = place(in: bytes.count)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
        case 2, 3, 4: write(&bytes, at: place)
        case 5: bytes.removeLast(bytes.count - max(1, place))
        case 6:
            let end = min(bytes.count, place + Int.random(in: 1...64, using: &random))
            bytes.removeSubrange(place..<end)
        default:
            let end = min(bytes.count, place + Int.random(in: 1...256, using: &random))
            bytes.insert(contentsOf: bytes[place..<end], at: place)
        }
    }

    /// Writes a number that arithmetic has trouble with, in either order of bytes.
    private mutating func write(_ bytes: inout [UInt8], at place: Int) {
        let width = [1, 2, 4, 8].randomElement(using: &random) ?? 1
        let bits = UInt64(8 * width)
        let greatest = UInt64.max >> (64 - bits)
        let numbers = [0, 1, greatest, greatest >> 1, greatest >> 1 + 1, greatest - 7]
        let number = numbers.randomElement(using: &random) ?? 0
        let isBigEndian = Bool.random(using: &random)
        for index in 0..<width where place + index < bytes.count {
            let shift = UInt64(8 * (isBigEndian ? width - 1 - index : index))
            bytes[place + index] = UInt8(truncatingIfNeeded: number >> shift)
        }
    }

    private mutating func place(in count: Int) -> Int {
        Bool.random(using: &random)
            ? Int.random(in: 0..<min(count, 512), using: &random) : Int.random(in: 0..<count, using: &random)
    }
}
