import FoundationEssentials

@testable import HalcyonCodecs

/// Changes to files of our encoder that it cannot make itself.
struct AVIFBytes {
    private(set) var bytes: [UInt8]

    var data: Data { Data(bytes) }

    init(_ file: Data) {
        bytes = Array(file)
    }

    /// Returns the offset of the box's header; the path may lead through several levels.
    func start(ofBox path: String..., skipping count: Int = 0) throws -> Int {
        var range = 0..<bytes.count
        for (depth, type) in path.enumerated() {
            let matches = ByteReader(data).boxes(in: range).filter { $0.type == type }
            let index = depth == path.count - 1 ? count : 0
            guard matches.indices.contains(index) else {
                throw Missing(path: path)
            }
            if depth == path.count - 1 {
                return matches[index].start
            }
            let payload = matches[index].payload
            range = payload.lowerBound + (type == "meta" ? 4 : 0)..<payload.upperBound
        }
        throw Missing(path: path)
    }

    struct Missing: Error {
        let path: [String]
    }

    mutating func set(_ values: [UInt8], at offset: Int) {
        bytes.replaceSubrange(offset..<offset + values.count, with: values)
    }

    /// The file with another brand in place of "avif", as its major one and among the compatible ones.
    func withBrand(_ brand: String) -> AVIFBytes {
        var result = self
        for offset in stride(from: 8, to: 40, by: 4) where bytes[offset..<offset + 4].elementsEqual("avif".utf8) {
            result.set(Array(brand.utf8), at: offset)
        }
        return result
    }

    /// Turns one of the primary item's properties into another, which readers must understand.
    mutating func replaceProperty(_ type: String, by newType: String, value: UInt8, isEssential: Bool = true) throws {
        let start = try start(ofBox: "meta", "iprp", "ipco", type)
        let container = try self.start(ofBox: "meta", "iprp", "ipco")
        let end = container + Int(bytes[container + 2]) << 8 + Int(bytes[container + 3])
        let before = ByteReader(data).boxes(in: container + 8..<end).prefix { $0.start < start }
        set(Array(newType.utf8) + [value], at: start + 4)
        guard isEssential else {
            return
        }
        // Behind the count of items: the first item's number, the count of its properties, and those.
        let list = try self.start(ofBox: "meta", "iprp", "ipma") + 16
        for offset in list + 3..<list + 3 + Int(bytes[list + 2]) where Int(bytes[offset]) == before.count + 1 {
            bytes[offset] |= 0x80
        }
    }

    /// Gives the second item, alpha, a box of associations of its own, as some writers do.
    mutating func splitAssociations() throws {
        let box = try start(ofBox: "meta", "iprp", "ipma")
        let size = Int(bytes[box + 3])
        let firstEnd = box + 16 + 3 + Int(bytes[box + 18])
        set([0, 0, 0, UInt8(firstEnd - box)], at: box)
        bytes[box + 15] = 1
        let header: [UInt8] =
            [0, 0, 0, UInt8(16 + box + size - firstEnd)] + Array("ipma".utf8) + [0, 0, 0, 0, 0, 0, 0, 1]
        bytes.insert(contentsOf: header, at: firstEnd)
        for path in [["meta"], ["meta", "iprp"]] {
            let offset = path.count == 1 ? try start(ofBox: "meta") : try start(ofBox: "meta", "iprp")
            let value = Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3]) + header.count
            set([UInt8(value >> 8), UInt8(value & 255)], at: offset + 2)
        }
        try moveItems(by: header.count)
    }

    /// Adds to the places of the items (`iloc`, version 0, one extent each).
    private mutating func moveItems(by count: Int) throws {
        let box = try start(ofBox: "meta", "iloc")
        for item in 0..<Int(bytes[box + 15]) {
            let offset = box + 16 + item * 14 + 6
            let value = Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3]) + count
            set([UInt8(value >> 8), UInt8(value & 255)], at: offset + 2)
        }
    }
}
