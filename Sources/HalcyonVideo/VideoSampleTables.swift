internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// Bounds the tables of samples in a movie (ISO/IEC 14496-12, 8.7 and 8.8): libavformat takes 24 bytes for each sample
/// that they count, up to 2 GB for a track, of which a file need not have a single one.
///
/// Boxes are searched as libavformat does, which reads a table wherever it stands below a track.
struct VideoSampleTables {
    /// What is to be known of a movie before it is opened.
    struct Findings {
        /// A Boolean value that indicates whether a box reaches beyond the end, or the header is missing.
        var isCutShort: Bool
        /// A Boolean value that indicates whether the edits repeat more samples than any video has, or reach into so many
        /// between two key frames that searching them takes minutes: libavformat takes memory for each that an edit shows,
        /// and time that grows by the square of those that it leaves out.
        var hasTooManyEdits: Bool
        /// The counts of tables that are to be read otherwise than the file has them.
        var substitutes: [VideoBytes.Substitute]
    }

    /// The part of a movie that is needed.
    enum Extent {
        /// What describes it.
        case header
        /// Any frame.
        case frames
    }

    /// 38 hours at 120 frames a second.
    private static let greatestSampleCount = 1 << 24
    /// The bytes that libavformat takes for a sample.
    private static let sampleByteCount = 40
    /// Samples of which a header is read: of a table, and of all together.
    private static let (headerSampleCount, headerSampleCountOfAll) = (1 << 14, 1 << 18)
    /// Entries of all other tables of which a header is read, but for durations, whose sum counts: of all together.
    private static let (headerEntryCountOfAll, headerDurationCountOfAll) = (1 << 19, 1 << 20)
    /// As many as libavformat is told to take.
    private static let greatestTrackCount = 64
    /// Fragments of six hours, of a second each, with sound.
    static let greatestBoxCount = 1 << 18
    /// The fewest samples of sound that libavformat takes together.
    private static let gatheredSampleCount = 160
    /// The most samples that edits may leave out; a search in them takes half a second.
    private static let greatestOmittedCount = 1 << 15
    /// The most bytes of boxes in which others are searched by their names, of all together.
    private static let greatestMixedByteCount = 1 << 20

    private let bytes: VideoBytes
    private let format: ImageFormat
    private let extent: Extent
    private let isCancelled: () -> Bool
    /// The most samples that there is memory for.
    private let greatestSampleCount: Int
    private var substitutes: [VideoBytes.Substitute] = []
    private var headerSamplesLeft = headerSampleCountOfAll
    private var headerEntriesLeft = headerEntryCountOfAll
    private var headerDurationsLeft = headerDurationCountOfAll
    private var trackCount = 0
    private var mixedByteCount = 0
    private var boxCount = 0
    private var isCutShort = false
    private var hasHeader = false
    /// Of all tracks and fragments.
    private var sampleCount = 0
    /// As many as the edits may show, and leave out.
    private var (editedSampleCount, omittedSampleCount) = (SaturatingCount(0), SaturatingCount(0))
    /// Of the track at hand.
    fileprivate var track = Track()
    private var indexes: VideoFragmentIndexes

    fileprivate struct Track {
        var sampleCount = 0
        var chunkCount = 0
        var greatestChunk = 0
        var editCount = 0
        /// The numbers of the key frames, from 1; `nil` where all are.
        var keyFrames: [Int]?
        var hasUnitDurations = false
        var isSound = false
        var isOther = false
    }

    private init(
        _ bytes: VideoBytes,
        _ format: ImageFormat,
        _ extent: Extent,
        _ limits: DecodeLimits,
        _ isCancelled: @escaping () -> Bool
    ) {
        (self.bytes, self.format, self.extent, self.isCancelled) = (bytes, format, extent, isCancelled)
        greatestSampleCount = min(Self.greatestSampleCount, limits.memory / Self.sampleByteCount)
        indexes = VideoFragmentIndexes(bytes, format)
    }

    /// Refuses a movie whose tables count more samples than any video has or there is memory for, and one whose indexes
    /// lead to tables within other boxes.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    static func check(
        _ bytes: VideoBytes,
        of format: ImageFormat,
        extent: Extent = .frames,
        limits: DecodeLimits = .standard,
        isCancelled: () -> Bool
    ) throws -> Findings {
        try withoutActuallyEscaping(isCancelled) { isCancelled in
            var tables = VideoSampleTables(bytes, format, extent, limits, isCancelled)
            try tables.check(0..<bytes.count, depth: 0)
            try tables.indexes.addRandomAccess(isCancelled: isCancelled)
            try tables.indexes.check(trackCount: tables.trackCount)
            return Findings(
                isCutShort: tables.isCutShort || !tables.hasHeader,
                hasTooManyEdits: tables.isCutForHeader
                    || tables.editedSampleCount.value > tables.greatestSampleCount
                    || tables.omittedSampleCount.value > greatestOmittedCount,
                substitutes: tables.substitutes
            )
        }
    }

    /// A Boolean value that indicates whether the header is read of fewer samples than there are.
    private var isCutForHeader = false

    /// The boxes that matter.
    private enum Kind {
        case header
        case track
        /// One whose content is boxes.
        case container
        /// One that stands for a header where its content is that.
        case free
        case metadata
        /// One that has others behind fields of its own, where no table belongs.
        case mixed
        /// One that decides how many samples a track has.
        case table(String)
        case compressed
    }

    private static let tables = [
        "stsz", "stz2", "stco", "co64", "stts", "stsc", "stss", "elst", "trun", "hdlr", "sidx", "ctts", "stps", "sbgp",
    ]

    /// By their types, as numbers: there may be hundreds of thousands.
    private static let kinds: [UInt32: Kind] = {
        var kinds: [UInt32: Kind] = [:]
        let containers = [
            "hoov", "mdia", "minf", "stbl", "moof", "traf", "mvex", "edts", "dinf", "udta", "tref", "sinf", "schi",
            "ilst", "wave",
        ]
        for type in containers { kinds[number(type)] = .container }
        for type in ["stsd", "iprp", "iref"] { kinds[number(type)] = .mixed }
        for type in tables { kinds[number(type)] = .table(type) }
        kinds[number("moov")] = .header
        kinds[number("trak")] = .track
        kinds[number("free")] = .free
        kinds[number("meta")] = .metadata
        kinds[number("cmov")] = .compressed
        return kinds
    }()

    private static func number(_ type: String) -> UInt32 { type.utf8.reduce(0) { $0 << 8 | UInt32($1) } }

    private static let segmentIndex = number("sidx")

    private mutating func check(_ range: Range<Int>, depth: Int) throws {
        guard depth < 10 else { throw CodecError.corrupt(format, reason: "boxes within boxes without end") }
        var offset = range.lowerBound
        while offset <= range.upperBound - 8 {
            boxCount += 1
            if boxCount & 255 == 0, isCancelled() { throw CancellationError() }
            guard boxCount <= Self.greatestBoxCount else { throw tooMany(boxCount, "boxes") }
            if depth == 0 { indexes.addBox(at: offset) }
            guard let (stated, type, wideSize) = bytes.header(at: offset) else { return }
            var (size, headerSize) = (stated, 8)
            if stated == 0 {
                size = range.upperBound - offset
            } else if stated == 1 {
                guard let wideSize else { return }
                (size, headerSize) = (wideSize, 16)
            }
            guard size >= headerSize else { return }
            let room = range.upperBound - offset
            let end = offset + min(size, room)
            isCutShort = isCutShort || depth == 0 && size > room
            // Its places are counted from its end.
            if type == Self.segmentIndex, size > room { throw CodecError.truncated(format) }
            try visit(type, min(offset + headerSize, end)..<end, depth: depth)
            offset = end
        }
    }

    private mutating func visit(_ type: UInt32, _ content: Range<Int>, depth: Int) throws {
        switch Self.kinds[type] {
        case .header:
            hasHeader = true
            try check(content, depth: depth + 1)
        case .track:
            // A track within another ends that one.
            let outer = track
            track = Track()
            trackCount += 1
            guard trackCount <= Self.greatestTrackCount else { throw tooMany(trackCount, "tracks") }
            try check(content, depth: depth + 1)
            try checkTrack()
            track = outer
        case .container: try check(content, depth: depth + 1)
        case .free where try isHeader(content): try check(content, depth: depth + 1)
        case .metadata:
            if let boxes = try boxes(ofMetadata: content) { try check(boxes, depth: depth + 1) }
        case .mixed: try checkMixed(content)
        case .table(let type):
            try read(type, ByteReader(bytes.bytes(at: content.lowerBound, count: min(16, content.count))), content)
        case .compressed: throw CodecError.unsupported(format, reason: "its header is compressed")
        case .free, nil: break
        }
    }

    /// The place of the count in a table, that of the entries, and the bits of each; `nil` for other boxes.
    private static func layout(_ type: String, _ reader: ByteReader) -> (count: Int, entries: Int, bitCount: Int)? {
        switch type {
        case "stsz": return (8, 12, reader.uint32(at: 4) == 0 ? 32 : 0)
        case "stz2": return (8, 12, reader.uint8(at: 7) ?? 0)
        case "stts", "ctts", "co64": return (4, 8, 64)
        case "stco", "stss", "stps": return (4, 8, 32)
        case "stsc": return (4, 8, 96)
        case "elst": return (4, 8, reader.uint8(at: 0) == 1 ? 160 : 96)
        case "sbgp": return reader.uint8(at: 0) == 1 ? (12, 16, 64) : (8, 12, 64)
        case "trun":
            let flags = reader.uint24(at: 1) ?? 0
            let fields = [0x100, 0x200, 0x400, 0x800].filter { flags & $0 != 0 }.count
            return (4, 8 + (flags & 1 != 0 ? 4 : 0) + (flags & 4 != 0 ? 4 : 0), 32 * fields)
        default: return nil
        }
    }

    /// Returns the entries of a table: as many as it has bytes for, because libavformat reads on to the end of the file,
    /// once for each table that says so. Of a header, fewer are read.
    private mutating func entryCounts(
        _ type: String,
        _ reader: ByteReader,
        _ content: Range<Int>
    ) -> (all: Int, read: Int) {
        guard let layout = Self.layout(type, reader), let stated = reader.uint32(at: layout.count) else {
            return (0, 0)
        }
        let room = max(0, content.count - layout.entries)
        let count = layout.bitCount > 0 ? min(stated, room * 8 / layout.bitCount) : stated
        let readCount = extent == .header ? headerCount(type, count) : count
        isCutForHeader = isCutForHeader || readCount < count
        if readCount < stated {
            let place = content.lowerBound + layout.count
            substitutes.append(VideoBytes.Substitute(offset: place, value: readCount))
        }
        return (count, readCount)
    }

    /// Returns the entries of a table of which a header is read.
    private mutating func headerCount(_ type: String, _ count: Int) -> Int {
        func take(_ greatest: Int, of left: inout Int) -> Int {
            let taken = min(count, greatest, left)
            left -= taken
            return taken
        }
        switch type {
        case "stsz", "stz2", "trun": return take(Self.headerSampleCount, of: &headerSamplesLeft)
        case "stts": return take(.max, of: &headerDurationsLeft)
        default: return take(Self.headerSampleCount, of: &headerEntriesLeft)
        }
    }

    /// Reads the counts in a table. After the version and the flags stands the number of entries; of `stsz` the size of
    /// all samples stands before it.
    private mutating func read(_ type: String, _ reader: ByteReader, _ content: Range<Int>) throws {
        let (count, readCount) = entryCounts(type, reader, content)
        switch type {
        case "stsz", "stz2": track.sampleCount = max(track.sampleCount, count)
        case "stco", "co64": track.chunkCount = max(track.chunkCount, count)
        case "stts": track.hasUnitDurations = reader.uint32(at: 4) == 1 && reader.uint32(at: 12) == 1
        case "stsc": track.greatestChunk = max(track.greatestChunk, try greatestChunk(content, count: readCount))
        case "elst": track.editCount = max(track.editCount, count)
        case "stss": track.keyFrames = try keyFrames(content, count: readCount)
        case "hdlr":
            track.isSound = track.isSound || reader.hasText("soun", at: 8)
            track.isOther = track.isOther || ["vide", "subp", "clcp"].contains { reader.hasText($0, at: 8) }
        case "sidx": try indexes.addSegments(content)
        case "trun": try add(count)
        default: break
        }
    }

    /// Returns the greatest number of samples of a chunk: an entry has 12 bytes, the number in the middle.
    private func greatestChunk(_ content: Range<Int>, count: Int) throws -> Int {
        // Of more entries than are read, any may be the greatest.
        guard count <= 1 << 20 else { return .max }
        var greatest: UInt32 = 0
        let entries = content.lowerBound + 8
        // Pieces of whole entries.
        for start in stride(from: entries, to: entries + 12 * count, by: 12 << 12) {
            let piece = try bytes.bytes(at: start, count: min(12 << 12, entries + 12 * count - start))
            piece.withUnsafeBytes { piece in
                for offset in stride(from: 4, to: piece.count - 3, by: 12) {
                    let count = UInt32(bigEndian: piece.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
                    greatest = max(greatest, count)
                }
            }
        }
        return Int(greatest)
    }

    /// Returns the numbers of key frames. Of more than are read, none is taken for one.
    private func keyFrames(_ content: Range<Int>, count: Int) throws(CodecError) -> [Int] {
        let byteCount = min(max(0, content.count - 8), 4 << 20, 4 * count)
        let table = try bytes.bytes(at: min(content.lowerBound + 8, content.upperBound), count: byteCount)
        return table.withUnsafeBytes { table in
            stride(from: 0, to: table.count - 3, by: 4).map {
                Int(UInt32(bigEndian: table.loadUnaligned(fromByteOffset: $0, as: UInt32.self)))
            }
        }
    }

    /// Sound without compression has a sample for each moment, of which libavformat takes many together. For anything but
    /// sound, it takes the table at its word, whatever the durations.
    private mutating func checkTrack() throws {
        let isGathered = track.hasUnitDurations && track.isSound && !track.isOther
        let perChunk = SaturatingCount(track.greatestChunk / Self.gatheredSampleCount + 1)
        let count = isGathered ? (SaturatingCount(track.chunkCount) * perChunk).value : track.sampleCount
        try add(count)
        editedSampleCount += SaturatingCount(count) * SaturatingCount(max(1, track.editCount))
        omittedSampleCount += SaturatingCount(track.longestInterval(count)) * SaturatingCount(track.editCount)
    }

    private mutating func add(_ count: Int) throws {
        guard count <= greatestSampleCount else { throw tooMany(count, "samples") }
        sampleCount += count
        guard sampleCount <= greatestSampleCount else { throw tooMany(sampleCount, "samples") }
    }

    private func tooMany(_ count: Int, _ things: String) -> CodecError {
        .unsupported(format, reason: "\(count) \(things) are more than any video has")
    }
}

extension VideoSampleTables.Track {
    /// Returns the greatest number of samples from one key frame to the next, or to the end; 1 where all are key frames.
    func longestInterval(_ sampleCount: Int) -> Int {
        guard let keyFrames else { return 1 }
        var (longest, last) = (0, 1)
        for number in keyFrames + [sampleCount + 1] {
            longest = max(longest, min(number, sampleCount + 1) - last)
            last = max(last, number)
        }
        return longest
    }
}

extension VideoSampleTables {
    /// Returns whether the content of a box is that of a header, as which libavformat reads it where there is no other.
    private func isHeader(_ content: Range<Int>) throws(CodecError) -> Bool {
        let reader = try ByteReader(bytes.bytes(at: content.lowerBound, count: min(8, content.count)))
        return reader.hasText("mvhd", at: 4) || reader.hasText("cmov", at: 4)
    }

    /// Returns the boxes of metadata, which begin with `hdlr`; in QuickTime at once, else behind fields. `nil` for none.
    private func boxes(ofMetadata content: Range<Int>) throws -> Range<Int>? {
        let count = min(content.count, Self.greatestMixedByteCount)
        var searched = 0
        // Read in pieces, as the name is among the first bytes of all but damaged ones.
        while searched < count {
            let piece = try bytes.bytes(at: content.lowerBound + searched, count: min(64, count - searched))
            let reader = ByteReader(piece)
            for offset in stride(from: 0, to: piece.count, by: 4) where reader.hasText("hdlr", at: offset) {
                return max(content.lowerBound, content.lowerBound + searched + offset - 4)..<content.upperBound
            }
            searched += 64
        }
        guard content.count <= count else {
            throw CodecError.unsupported(format, reason: "its metadata say nothing of their kind")
        }
        return nil
    }

    /// Refuses a table among fields that are not read here.
    private mutating func checkMixed(_ content: Range<Int>) throws {
        mixedByteCount += content.count
        let isShort = mixedByteCount <= Self.greatestMixedByteCount
        let data = try bytes.bytes(at: content.lowerBound, count: isShort ? content.count : 0)
        guard isShort, !Self.isTable(in: data) else {
            throw CodecError.unsupported(format, reason: "a description of its samples holds more than that")
        }
    }

    /// The names of tables, and of boxes that hold or hide them, as numbers in the order of this processor.
    private static let tableNumbers = (tables + ["stbl", "cmov"]).map { number($0).bigEndian }

    /// Returns whether the name of a table stands anywhere in the bytes.
    private static func isTable(in data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            let numbers = tableNumbers
            for offset in stride(from: 0, to: bytes.count - 3, by: 1) {
                let number = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                for name in numbers where name == number { return true }
            }
            return false
        }
    }
}
