/// Writes values behind each other, in the byte order of the machine that both ends of a socket share.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ value: Int) {
        withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ value: Bool) {
        bytes.append(value ? 1 : 0)
    }

    mutating func write(_ value: Double) {
        write(Int(bitPattern: UInt(value.bitPattern)))
    }

    mutating func write(_ text: String) {
        write(text.utf8)
    }

    mutating func write(_ data: some Collection<UInt8>) {
        write(data.count)
        bytes.append(contentsOf: data)
    }

    mutating func write<Value>(_ value: Value?, _ write: (inout RecordWriter, Value) -> Void) {
        self.write(value != nil)
        if let value { write(&self, value) }
    }

    mutating func write(_ value: Int?) {
        write(value) { $0.write($1) }
    }
}

/// Reads what a ``RecordWriter`` has written. Nothing of it is believed: every count is compared with the bytes that there
/// are, and every number with the values that make sense.
struct RecordReader {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    /// Reads a number.
    ///
    /// - Throws: ``NonsensicalAnswer`` if it is not one of these, or not there.
    mutating func int(in range: ClosedRange<Int>) throws(NonsensicalAnswer) -> Int {
        let value = Int(bitPattern: UInt(try word()))
        guard range.contains(value) else { throw NonsensicalAnswer("the number \(value) is outside of \(range)") }
        return value
    }

    mutating func bool() throws(NonsensicalAnswer) -> Bool {
        switch bytes.popFirst() {
        case 0: return false
        case 1: return true
        default: throw NonsensicalAnswer("a Boolean value is neither")
        }
    }

    mutating func double() throws(NonsensicalAnswer) -> Double {
        Double(bitPattern: try word())
    }

    mutating func data(atMost limit: Int) throws(NonsensicalAnswer) -> [UInt8] {
        let count = try int(in: 0...min(limit, bytes.count))
        guard count <= bytes.count else { throw NonsensicalAnswer("\(count) bytes are not there") }
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }

    mutating func string(atMost limit: Int = 4_096) throws(NonsensicalAnswer) -> String {
        String(decoding: try data(atMost: limit), as: UTF8.self)
    }

    mutating func optional<Value>(
        _ read: (inout RecordReader) throws(NonsensicalAnswer) -> Value
    ) throws(NonsensicalAnswer) -> Value? {
        try bool() ? try read(&self) : nil
    }

    /// The bytes that were not read.
    var remainingCount: Int { bytes.count }

    /// - Throws: ``NonsensicalAnswer`` if there is more.
    func end() throws(NonsensicalAnswer) {
        if !bytes.isEmpty { throw NonsensicalAnswer("\(bytes.count) bytes are too many") }
    }

    private mutating func word() throws(NonsensicalAnswer) -> UInt64 {
        guard bytes.count >= 8 else { throw NonsensicalAnswer("it ends within a number") }
        defer { bytes = bytes.dropFirst(8) }
        return bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    }
}
