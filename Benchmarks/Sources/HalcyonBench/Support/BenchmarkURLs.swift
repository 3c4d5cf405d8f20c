internal import FoundationEssentials

/// URLs as image servers have them, of about 70 bytes.
enum BenchmarkURLs {
    static func make(_ count: Int, seed: UInt64 = 5) throws -> [URL] {
        try texts(count, seed: seed).map { text in
            guard let url = URL(string: text) else { throw BenchmarkError("\(text) is no URL") }
            return url
        }
    }

    /// The same as text.
    static func texts(_ count: Int, seed: UInt64 = 5) -> [String] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { number in
            let name = String(random.next() | 1 << 63, radix: 16)
            return "https://images.example.com/photos/\(name)/\(number)/large.jpg?w=640"
        }
    }
}
