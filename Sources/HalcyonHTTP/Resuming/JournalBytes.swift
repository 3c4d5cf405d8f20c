/// Numbers and texts as bytes: numbers have eight, the least significant first; texts are UTF-8 after their length.
struct JournalBytes {
    private(set) var bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    mutating func append(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ text: String) {
        append(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.count - position else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func number() -> UInt64? {
        take(8)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func count(atMost maximum: Int) -> Int? {
        number().flatMap { Int(exactly: $0) }.flatMap { $0 <= maximum ? $0 : nil }
    }

    mutating func text() -> String? {
        count(atMost: bytes.count).flatMap { take($0) }.flatMap { String(validating: $0, as: UTF8.self) }
    }
}
