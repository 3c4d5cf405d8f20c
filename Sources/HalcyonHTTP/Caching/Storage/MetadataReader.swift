internal import FoundationEssentials
internal import HTTPTypes

/// Reads the encoding of ``StoredResponse/metadata`` from arbitrary bytes: invalid ones give `nil`, and no memory is
/// taken because of a stated length alone.
struct MetadataReader {
    private let data: [UInt8]
    private var position = 0

    init(_ data: Data) {
        self.data = Array(data)
    }

    var isAtEnd: Bool { position == data.count }

    mutating func take(_ expected: [UInt8]) -> Bool {
        guard data[position...].starts(with: expected) else { return false }
        position += expected.count
        return true
    }

    /// Reads a number, which is at least 0.
    mutating func number() -> Int? {
        guard let bits = bits(), let number = Int(exactly: bits) else { return nil }
        return number
    }

    mutating func signedNumber() -> Int? {
        guard let bits = bits() else { return nil }
        let magnitude = Int(bits >> 1)
        return bits & 1 == 0 ? magnitude : ~magnitude
    }

    /// Reads the number of items that follow, if there are enough bytes left for them.
    mutating func count(bytesEach: Int) -> Int? {
        guard let count = number(), count <= (data.count - position) / bytesEach else { return nil }
        return count
    }

    mutating func bytes() -> ArraySlice<UInt8>? {
        guard let count = number(), count <= data.count - position else { return nil }
        defer { position += count }
        return data[position..<(position + count)]
    }

    mutating func name() -> HTTPField.Name? {
        bytes().flatMap { HTTPField.Name(String(decoding: $0, as: UTF8.self)) }
    }

    private mutating func bits() -> UInt? {
        var value: UInt = 0
        var shift = 0
        while position < data.count, shift < UInt.bitWidth {
            let byte = data[position]
            position += 1
            // The tenth group has one bit.
            guard shift < 63 || byte <= 1 else { return nil }
            value |= UInt(byte & 0x7F) << UInt(shift)
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        return nil
    }
}
