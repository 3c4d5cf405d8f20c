import FoundationEssentials

/// An EXIF block with one directory of one entry, in which every field can be wrong.
struct EXIFBlock {
    var isLittleEndian = false
    var directoryOffset: UInt32 = 8
    var entryCount: UInt16 = 1
    var tag: UInt16 = 274
    var type: UInt16 = 3
    var count: UInt32 = 1
    var orientation: UInt16
    /// A second directory, as cameras write for the thumbnail.
    private var next: [EXIFBlock] = []

    init(orientation: UInt16, isLittleEndian: Bool = false) {
        self.orientation = orientation
        self.isLittleEndian = isLittleEndian
    }

    var nextDirectory: EXIFBlock? {
        get { next.first }
        set { next = newValue.map { [$0] } ?? [] }
    }

    var data: Data {
        var data = Data((isLittleEndian ? "II" : "MM").utf8)
        data += bytes(UInt16(42)) + bytes(directoryOffset) + directory
        if let nextDirectory {
            data += bytes(UInt32(data.count + 4)) + nextDirectory.directory
        }
        return data + bytes(UInt32(0))
    }

    private var directory: Data {
        let value = type == 4 ? bytes(UInt32(orientation)) : bytes(orientation) + bytes(UInt16(0))
        return bytes(entryCount) + bytes(tag) + bytes(type) + bytes(count) + value
    }

    private func bytes(_ value: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: isLittleEndian ? value.littleEndian : value.bigEndian) { Data($0) }
    }
}
