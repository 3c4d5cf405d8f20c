/// Reads the fields of a ThumbHash, from the lowest bit of each byte to the highest.
struct ThumbHashReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the number in the next bits, of which there may be 8.
    mutating func bits(_ count: Int) throws(CodecError) -> Int {
        guard position + count <= bytes.count * 8 else {
            throw .truncated(.thumbHash)
        }
        let low = Int(bytes[position / 8])
        let high = position / 8 + 1 < bytes.count ? Int(bytes[position / 8 + 1]) : 0
        let value = (high << 8 | low) >> (position % 8) & (1 << count - 1)
        position += count
        return value
    }

    /// Returns the channel whose factors follow, four bits each.
    mutating func channel(
        _ width: Int,
        _ height: Int,
        average: Double,
        scale: Double
    ) throws(CodecError) -> ThumbHashChannel {
        try ThumbHashChannel(width, height, average: average, scale: scale) { () throws(CodecError) in
            Double(try bits(4)) / 7.5 - 1
        }
    }

    /// Refuses bytes behind the last field.
    func end() throws(CodecError) {
        let count = (position + 7) / 8
        guard count == bytes.count else {
            throw .corrupt(.thumbHash, reason: "it has \(bytes.count) bytes where its header tells \(count)")
        }
    }
}
