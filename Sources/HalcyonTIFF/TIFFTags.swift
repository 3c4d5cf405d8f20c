internal import FoundationEssentials
internal import HalcyonCodecs

/// Copies the tags that describe an image between an EXIF block and a TIFF file, which hold them in directories of the
/// same form (CIPA DC-008, 4.6; TIFF 6.0, section 2).
struct TIFFTags {
    /// Tags of the first directory that say nothing of how pixels are stored: description, maker, model, resolution,
    /// software, date, artist, computer, rating, copyright, the directories of EXIF and GPS, and the texts of Windows.
    private static let descriptive: Set<Int> = [
        270, 271, 272, 282, 283, 296, 305, 306, 315, 316, 18_246, 18_249, 33_432, 34_665, 34_853, 40_091, 40_092,
        40_093,
        40_094, 40_095,
    ]
    /// The directories of EXIF, GPS and interoperability.
    private static let directories: Set<Int> = [34_665, 34_853, 40_965]
    /// Entries of a directory that are looked at; real ones have up to about a hundred.
    private static let maximumEntryCount = 4_096
    /// The bytes of a value by its type, and of the numbers in it whose bytes have an order.
    private static let types: [Int: (size: Int, unit: Int)] = [
        1: (1, 1), 2: (1, 1), 3: (2, 2), 4: (4, 4), 5: (8, 4), 6: (1, 1), 7: (1, 1), 8: (2, 2), 9: (4, 4), 10: (8, 4),
        11: (4, 4), 12: (8, 8), 13: (4, 4),
    ]

    /// A directory's entry of 12 bytes, little endian.
    private struct Entry {
        let tag: Int
        let bytes: [UInt8]
    }

    /// The bytes that values may still take: those of a hostile file may all be the same ones.
    private var budget = ICCProfile.maximumByteCount
    private let source: ByteReader
    /// Little endian.
    private var target: Data

    private init(source: ByteReader, target: Data) {
        self.source = source
        self.target = target
    }

    /// Returns a file as libtiff writes it with the tags of an EXIF block in its first directory, which moves to the end.
    ///
    /// - Parameter block: Begins with its TIFF header. One that cannot be read adds nothing.
    static func adding(_ block: Data, to file: Data) -> Data {
        let reader = ByteReader(file, order: .littleEndian)
        guard let source = EXIF.tiffReader(of: block), let first = source.uint32(at: 4),
            let main = reader.uint32(at: 4),
            let count = reader.uint16(at: main), let next = reader.bytes(at: main + 2 + 12 * count, count: 4)
        else {
            return file
        }
        var entries = (0..<count).compactMap { index -> Entry? in
            let place = main + 2 + 12 * index
            guard let tag = reader.uint16(at: place), let bytes = reader.bytes(at: place, count: 12) else { return nil }
            return Entry(tag: tag, bytes: [UInt8](bytes))
        }
        var tags = TIFFTags(source: source, target: file)
        let present = Set(entries.map(\.tag))
        let added = tags.entries(at: first, among: descriptive.subtracting(present), depth: 0)
        guard !added.isEmpty else { return file }
        entries += added
        let place = tags.append(entries, next: [UInt8](next))
        tags.target.replaceSubrange(4..<8, with: bytes(of: place))
        return tags.target
    }

    /// Returns the tags of a directory of a file as an EXIF block; `nil` if it has none.
    static func block(of file: ByteReader, at directory: Int) -> Data? {
        var tags = TIFFTags(source: file, target: Data([0x49, 0x49, 42, 0, 0, 0, 0, 0]))
        let entries = tags.entries(at: directory, among: descriptive, depth: 0)
        guard !entries.isEmpty else { return nil }
        let place = tags.append(entries, next: [0, 0, 0, 0])
        tags.target.replaceSubrange(4..<8, with: bytes(of: place))
        return tags.target
    }

    /// Copies the values of a directory, and returns its entries; those that are damaged are left out.
    private mutating func entries(at directory: Int, among tags: Set<Int>?, depth: Int) -> [Entry] {
        guard let count = source.uint16(at: directory) else { return [] }
        var seen: Set<Int> = []
        return (0..<min(count, Self.maximumEntryCount)).compactMap { index -> Entry? in
            let place = directory + 2 + 12 * index
            guard let tag = source.uint16(at: place), tags?.contains(tag) ?? true, seen.insert(tag).inserted else {
                return nil
            }
            return entry(tag, at: place, depth: depth)
        }
    }

    private mutating func entry(_ tag: Int, at place: Int, depth: Int) -> Entry? {
        guard let type = source.uint16(at: place + 2), let count = source.uint32(at: place + 4) else { return nil }
        let head = Self.bytes(of: tag).prefix(2) + Self.bytes(of: type).prefix(2)
        if Self.directories.contains(tag) {
            // A directory within one within one is no EXIF.
            guard count == 1, depth < 2, let directory = source.uint32(at: place + 8) else { return nil }
            let entries = entries(at: directory, among: nil, depth: depth + 1)
            guard !entries.isEmpty else { return nil }
            let start = append(entries, next: [0, 0, 0, 0])
            return Entry(tag: tag, bytes: head + Self.bytes(of: 1) + Self.bytes(of: start))
        }
        guard let (size, unit) = Self.types[type], count <= budget / size else { return nil }
        let byteCount = count * size
        guard let start = byteCount <= 4 ? place + 8 : source.uint32(at: place + 8),
            let stored = source.bytes(at: start, count: byteCount)
        else {
            return nil
        }
        var value = [UInt8](stored)
        if source.order == .bigEndian, unit > 1 {
            for first in stride(from: 0, to: byteCount, by: unit) { value[first..<first + unit].reverse() }
        }
        if byteCount > 4 {
            budget -= byteCount
            align()
            let start = target.count
            target += value
            value = Self.bytes(of: start)
        }
        value += [UInt8](repeating: 0, count: 4 - value.count)
        return Entry(tag: tag, bytes: head + Self.bytes(of: count) + value)
    }

    /// Appends a directory, and returns its place.
    private mutating func append(_ entries: [Entry], next: [UInt8]) -> Int {
        align()
        let place = target.count
        target += Self.bytes(of: entries.count).prefix(2)
        for entry in entries.sorted(by: { $0.tag < $1.tag }) { target += entry.bytes }
        target += next
        return place
    }

    /// Values and directories begin at even offsets (TIFF 6.0, section 2).
    private mutating func align() {
        if target.count % 2 == 1 { target.append(0) }
    }

    private static func bytes(of number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
