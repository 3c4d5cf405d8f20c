#if Video
internal import FoundationEssentials
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
    }

    /// 38 hours at 120 frames a second; 400 MB.
    private static let greatestSampleCount = 1 << 24
    /// Fragments of a day, of a second each.
    private static let greatestBoxCount = 1 << 20
    /// The fewest samples of sound that libavformat takes together.
    private static let gatheredSampleCount = 160
    /// The most samples that edits may leave out; a search in them takes half a second.
    private static let greatestOmittedCount = 1 << 15
    /// The most bytes of boxes in which others are searched by their names.
    private static let greatestMixedByteCount = 1 << 20

    private let bytes: VideoBytes
    private let format: ImageFormat
    private let isCancelled: () -> Bool
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

    private init(_ bytes: VideoBytes, _ format: ImageFormat, _ isCancelled: @escaping () -> Bool) {
        (self.bytes, self.format, self.isCancelled) = (bytes, format, isCancelled)
        indexes = VideoFragmentIndexes(bytes, format)
    }

    /// Refuses a movie whose tables count more samples than any video has, and one whose indexes lead to tables within
    /// other boxes.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    static func check(_ bytes: VideoBytes, of format: ImageFormat, isCancelled: () -> Bool) throws -> Findings {
        try withoutActuallyEscaping(isCancelled) { isCancelled in
            var tables = VideoSampleTables(bytes, format, isCancelled)
            try tables.check(0..<bytes.count, depth: 0)
            try tables.indexes.addRandomAccess(isCancelled: isCancelled)
            try tables.indexes.check()
            return Findings(
                isCutShort: tables.isCutShort || !tables.hasHeader,
                hasTooManyEdits: tables.editedSampleCount.value > greatestSampleCount
                    || tables.omittedSampleCount.value > greatestOmittedCount
            )
        }
    }

    /// The boxes whose content is boxes.
    private static let containers: Set<String> = [
        "moov", "hoov", "trak", "mdia", "minf", "stbl", "moof", "traf", "mvex", "edts", "dinf", "udta", "tref", "sinf",
        "schi", "ilst", "wave",
    ]
    /// The boxes that have others behind fields of their own, where no table belongs.
    private static let mixed: Set<String> = ["stsd", "iprp", "iref"]
    /// The boxes that decide how many samples a track has.
    private static let tables = [
        "stsz", "stz2", "stco", "co64", "stts", "stsc", "stss", "elst", "trun", "hdlr", "stbl", "cmov", "sidx",
    ]

    private mutating func check(_ range: Range<Int>, depth: Int) throws {
        guard depth < 10 else { throw CodecError.corrupt(format, reason: "boxes within boxes without end") }
        var offset = range.lowerBound
        while offset <= range.upperBound - 8 {
            boxCount += 1
            if boxCount & 255 == 0, isCancelled() { throw CancellationError() }
            guard boxCount <= Self.greatestBoxCount else { throw tooMany(boxCount, "boxes") }
            if depth == 0 { indexes.addBox(at: offset) }
            let header = ByteReader(bytes.bytes(at: offset, count: 16))
            guard var size = header.uint32(at: 0), let name = header.bytes(at: 4, count: 4) else { return }
            var headerSize = 8
            if size == 0 {
                size = range.upperBound - offset
            } else if size == 1 {
                guard let high = header.uint32(at: 8), high < 1 << 31, let low = header.uint32(at: 12) else { return }
                (size, headerSize) = (high << 32 | low, 16)
            }
            guard size >= headerSize else { return }
            let room = range.upperBound - offset
            let end = offset + min(size, room)
            isCutShort = isCutShort || depth == 0 && size > room
            let type = String(decoding: name, as: UTF8.self)
            // Its places are counted from its end.
            if type == "sidx", size > room { throw CodecError.truncated(format) }
            try visit(type, min(offset + headerSize, end)..<end, depth: depth)
            offset = end
        }
    }

    private mutating func visit(_ type: String, _ content: Range<Int>, depth: Int) throws {
        if type == "cmov" {
            throw CodecError.unsupported(format, reason: "its header is compressed")
        }
        hasHeader = hasHeader || type == "moov"
        if type == "trak" {
            // A track within another ends that one.
            let outer = track
            track = Track()
            try check(content, depth: depth + 1)
            try checkTrack()
            track = outer
        } else if Self.containers.contains(type) || type == "free" && isHeader(content) {
            try check(content, depth: depth + 1)
        } else if type == "meta" {
            if let boxes = try boxes(ofMetadata: content) { try check(boxes, depth: depth + 1) }
        } else if Self.mixed.contains(type) {
            try checkMixed(content)
        } else {
            try read(type, ByteReader(bytes.bytes(at: content.lowerBound, count: min(16, content.count))), content)
        }
    }

    /// Reads the counts in a table. After the version and the flags stands the number of entries; of `stsz` the size of
    /// all samples stands before it.
    private mutating func read(_ type: String, _ reader: ByteReader, _ content: Range<Int>) throws {
        switch type {
        case "stsz", "stz2": track.sampleCount = max(track.sampleCount, reader.uint32(at: 8) ?? 0)
        case "stco", "co64": track.chunkCount = max(track.chunkCount, reader.uint32(at: 4) ?? 0)
        case "stts": track.hasUnitDurations = reader.uint32(at: 4) == 1 && reader.uint32(at: 12) == 1
        case "stsc": track.greatestChunk = max(track.greatestChunk, try greatestChunk(content))
        case "elst": track.editCount = max(track.editCount, min(reader.uint32(at: 4) ?? 0, content.count / 12))
        case "stss": track.keyFrames = keyFrames(content, count: reader.uint32(at: 4) ?? 0)
        case "hdlr":
            track.isSound = track.isSound || reader.hasText("soun", at: 8)
            track.isOther = track.isOther || ["vide", "subp", "clcp"].contains { reader.hasText($0, at: 8) }
        case "sidx": try indexes.addSegments(content)
        case "trun": try add(reader.uint32(at: 4) ?? 0)
        default: break
        }
    }

    /// Returns the greatest number of samples of a chunk: an entry has 12 bytes, the number in the middle.
    private func greatestChunk(_ content: Range<Int>) throws -> Int {
        guard content.count > 8 else { return 0 }
        // Of more entries than are read, any may be the greatest.
        guard content.count - 8 <= 12 << 20 else { return .max }
        let table = bytes.bytes(at: content.lowerBound + 8, count: content.count - 8)
        let reader = ByteReader(table)
        return stride(from: 4, to: table.count, by: 12).reduce(0) { max($0, reader.uint32(at: $1) ?? 0) }
    }

    /// Returns the numbers of key frames. Of more than are read, none is taken for one.
    private func keyFrames(_ content: Range<Int>, count: Int) -> [Int] {
        let byteCount = min(max(0, content.count - 8), 4 << 20, 4 * count)
        let table = bytes.bytes(at: min(content.lowerBound + 8, content.upperBound), count: byteCount)
        let reader = ByteReader(table)
        return stride(from: 0, to: table.count, by: 4).compactMap { reader.uint32(at: $0) }
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
        guard count <= Self.greatestSampleCount else { throw tooMany(count, "samples") }
        sampleCount += count
        guard sampleCount <= Self.greatestSampleCount else { throw tooMany(sampleCount, "samples") }
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
    private func isHeader(_ content: Range<Int>) -> Bool {
        let reader = ByteReader(bytes.bytes(at: content.lowerBound, count: min(8, content.count)))
        return reader.hasText("mvhd", at: 4) || reader.hasText("cmov", at: 4)
    }

    /// Returns the boxes of metadata, which begin with `hdlr`; in QuickTime at once, else behind fields. `nil` for none.
    private func boxes(ofMetadata content: Range<Int>) throws -> Range<Int>? {
        let count = min(content.count, Self.greatestMixedByteCount)
        var searched = 0
        // Read in pieces, as the name is among the first bytes of all but damaged ones.
        while searched < count {
            let piece = bytes.bytes(at: content.lowerBound + searched, count: min(64, count - searched))
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
    private func checkMixed(_ content: Range<Int>) throws {
        let isShort = content.count <= Self.greatestMixedByteCount
        let data = bytes.bytes(at: content.lowerBound, count: isShort ? content.count : 0)
        guard isShort, !Self.tables.contains(where: { data.firstRange(of: Data($0.utf8)) != nil }) else {
            throw CodecError.unsupported(format, reason: "a description of its samples holds more than that")
        }
    }
}
#endif
