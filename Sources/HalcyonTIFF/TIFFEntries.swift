internal import FoundationEssentials
internal import HalcyonCodecs

/// The entries of a directory (TIFF 6.0 section 2).
struct TIFFEntries {
    /// Tags by their numbers in TIFF 6.0, its technical notes (330), the ICC's appendix (34675) and GDAL (42113).
    enum Tag: Int {
        case subfileType = 254
        case imageWidth = 256
        case imageLength = 257
        case bitsPerSample = 258
        case compression = 259
        case photometric = 262
        case orientation = 274
        case stripOffsets = 273
        case samplesPerPixel = 277
        case rowsPerStrip = 278
        case tileWidth = 322
        case tileLength = 323
        case tileOffsets = 324
        case subdirectories = 330
        case extraSamples = 338
        case xmp = 700
        case iccProfile = 34675
        case valueOfNoData = 42113
    }

    /// Returns whether a directory is that of a page of its own: neither a smaller version of another one nor a mask of
    /// its transparency (TIFF 6.0, NewSubfileType, bits 0 and 2).
    ///
    /// The tag is the smallest there is, and entries are sorted by their tags, so that it is looked for among the first
    /// ones only: the directories of a hostile file may overlap, with 65,535 entries each.
    static func isPage(_ file: TIFFFile, at directory: Int) -> Bool {
        TIFFEntries(file, at: directory, maximumCount: 4)?.value(.subfileType).map { $0 & 5 == 0 } ?? true
    }

    private let file: TIFFFile
    /// The first entry of each tag: its place in the file.
    private var places: [Tag: Int] = [:]

    /// `nil` where the directory is cut.
    ///
    /// - Parameter maximumCount: The most entries that are looked at. Real directories have up to about a hundred.
    init?(_ file: TIFFFile, at directory: Int, maximumCount: Int = 4_096) {
        guard let (count, start) = file.entries(at: directory) else {
            return nil
        }
        self.file = file
        for index in 0..<min(count, maximumCount) {
            let place = start + index * file.entrySize
            if let tag = file.reader.uint16(at: place).flatMap(Tag.init(rawValue:)), places[tag] == nil {
                places[tag] = place
            }
        }
    }

    func value(_ tag: Tag) -> Int? {
        values(tag, maximumCount: 1).first
    }

    /// The number of values that an entry says it has; 0 where there is none.
    func count(of tag: Tag) -> Int {
        places[tag].flatMap { file.offset(at: $0 + 4) } ?? 0
    }

    /// Whole numbers, at most so many of them; none where the entry is missing, of another type, or cut.
    func values(_ tag: Tag, maximumCount: Int) -> [Int] {
        guard let place = places[tag], let type = file.reader.uint16(at: place + 2), let size = Self.size(of: type),
            let count = file.offset(at: place + 4), let start = start(of: place, size: size, count: count)
        else {
            return []
        }
        return (0..<min(count, maximumCount)).compactMap { index in
            let offset = start + index * size
            return switch size {
            case 1: file.reader.uint8(at: offset)
            case 2: file.reader.uint16(at: offset)
            case 4: file.reader.uint32(at: offset)
            default: file.reader.uint64(at: offset)
            }
        }
    }

    func bytes(_ tag: Tag, maximumCount: Int) -> Data? {
        // ASCII is no number.
        guard let place = places[tag], let type = file.reader.uint16(at: place + 2),
            type == 2 || Self.size(of: type) == 1, let count = file.offset(at: place + 4), count <= maximumCount,
            let start = start(of: place, size: 1, count: count)
        else {
            return nil
        }
        return file.reader.bytes(at: start, count: count)
    }

    /// Values that fit stand in the entry itself.
    private func start(of place: Int, size: Int, count: Int) -> Int? {
        let inline = place + (file.isBig ? 12 : 8)
        let (byteCount, overflows) = count.multipliedReportingOverflow(by: size)
        guard !overflows else {
            return nil
        }
        if byteCount <= (file.isBig ? 8 : 4) {
            return inline
        }
        return file.offset(at: inline).flatMap { $0 <= file.reader.count ? $0 : nil }
    }

    /// BYTE, SHORT, LONG, UNDEFINED, IFD, BigTIFF's LONG8 and IFD8, and the signed ones, which programs write for sizes.
    private static func size(of type: Int) -> Int? {
        switch type {
        case 1, 6, 7: 1
        case 3, 8: 2
        case 4, 9, 13: 4
        case 16, 17, 18: 8
        default: nil
        }
    }
}
