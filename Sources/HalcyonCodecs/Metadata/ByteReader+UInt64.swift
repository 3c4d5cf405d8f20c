extension ByteReader {
    /// `nil` also where the number is beyond `Int.max`, which no file reaches.
    package func uint64(at offset: Int) -> Int? {
        guard let first = uint32(at: offset), let second = uint32(at: offset + 4) else {
            return nil
        }
        let (high, low) = order == .bigEndian ? (first, second) : (second, first)
        return high < 1 << 31 ? high << 32 | low : nil
    }
}
