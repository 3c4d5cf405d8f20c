/// Bytes that a kind of file starts with, and perhaps some more further in.
struct Signature: Sendable {
    private let start: [UInt8]
    private let further: [UInt8]
    private let offset: Int

    init(_ start: [UInt8]) {
        self.start = start
        further = []
        offset = 0
    }

    init(_ start: String, and further: String = "", at offset: Int = 0) {
        self.start = Array(start.utf8)
        self.further = Array(further.utf8)
        self.offset = offset
    }

    func matches(_ reader: ByteReader) -> Bool {
        reader.data.starts(with: start)
            && (reader.bytes(at: offset, count: further.count)?.elementsEqual(further) ?? false)
    }
}
