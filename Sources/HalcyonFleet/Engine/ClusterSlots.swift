/// The slots of a cluster (Redis Cluster specification, "Key distribution model").
enum ClusterSlots {
    static let count = 16_384

    /// Returns the slot of a key: that of the text in its first braces, or of the whole key without any.
    static func slot(of key: String) -> Int {
        let bytes = Array(key.utf8)
        var hashed = bytes[...]
        if let open = bytes.firstIndex(of: UInt8(ascii: "{")),
            let close = bytes[(open + 1)...].firstIndex(of: UInt8(ascii: "}")), close > open + 1
        {
            hashed = bytes[(open + 1)..<close]
        }
        return Int(checksum(of: hashed)) % count
    }

    /// CRC-16/XMODEM: polynomial 0x1021, initial value 0.
    static func checksum(of bytes: some Sequence<UInt8>) -> UInt16 {
        var crc: UInt16 = 0
        for byte in bytes {
            crc ^= UInt16(byte) << 8
            for _ in 0..<8 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
        }
        return crc
    }
}
