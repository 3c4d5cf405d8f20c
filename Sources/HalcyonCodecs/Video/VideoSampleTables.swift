#if Video
internal import FoundationEssentials

/// Bounds the tables of samples in a movie (ISO/IEC 14496-12, 8.7 and 8.8): libavformat takes 24 bytes for each sample
/// that they count, up to 2 GB, of which a file need not have a single one.
struct VideoSampleTables {
    /// 38 hours at 120 frames a second; 400 MB.
    private static let greatestSampleCount = 1 << 24
    /// Fragments of a day, of a second each.
    private static let greatestBoxCount = 1 << 20

    private let bytes: VideoBytes
    private let format: ImageFormat
    private let isCancelled: () -> Bool
    private var boxCount = 0
    private var isCutShort = false
    private var hasHeader = false
    private var fragmentSampleCount = 0
    /// Of the track at hand.
    private var track = Track()

    private struct Track {
        var sampleCount = 0
        var chunkCount = 0
        var greatestChunk = 0
        var hasUnitDurations = false
    }

    private init(_ bytes: VideoBytes, _ format: ImageFormat, _ isCancelled: @escaping () -> Bool) {
        (self.bytes, self.format, self.isCancelled) = (bytes, format, isCancelled)
    }

    /// Refuses a movie whose tables count more samples than any video has.
    ///
    /// - Returns: Whether the movie is cut short: a box reaches beyond its end, or the header is missing.
    /// - Throws: ``CodecError``, `CancellationError`.
    static func check(_ bytes: VideoBytes, of format: ImageFormat, isCancelled: () -> Bool) throws -> Bool {
        try withoutActuallyEscaping(isCancelled) { isCancelled in
            var tables = VideoSampleTables(bytes, format, isCancelled)
            try tables.check(0..<bytes.count, depth: 0)
            return tables.isCutShort || !tables.hasHeader
        }
    }

    private static let containers: Set<String> = ["moov", "trak", "mdia", "minf", "stbl", "moof", "traf"]

    private mutating func check(_ range: Range<Int>, depth: Int) throws {
        var offset = range.lowerBound
        while offset + 8 <= range.upperBound {
            boxCount += 1
            if boxCount & 255 == 0, isCancelled() { throw CancellationError() }
            guard boxCount <= Self.greatestBoxCount else { throw tooMany(boxCount, "boxes") }
            let header = ByteReader(bytes.bytes(at: offset, count: 16))
            guard var size = header.uint32(at: 0), let name = header.bytes(at: 4, count: 4) else { return }
            var headerSize = 8
            if size == 0 {
                size = range.upperBound - offset
            } else if size == 1 {
                guard let high = header.uint32(at: 8), high < 1 << 30, let low = header.uint32(at: 12) else { return }
                (size, headerSize) = (high << 32 | low, 16)
            }
            guard size >= headerSize else { return }
            let end = min(offset + size, range.upperBound)
            isCutShort = isCutShort || depth == 0 && offset + size > range.upperBound
            let type = String(decoding: name, as: UTF8.self)
            try visit(type, offset + headerSize..<max(offset + headerSize, end), depth: depth)
            offset = end
        }
    }

    private mutating func visit(_ type: String, _ content: Range<Int>, depth: Int) throws {
        if type == "cmov" {
            throw CodecError.unsupported(format, reason: "its header is compressed")
        }
        hasHeader = hasHeader || type == "moov"
        if type == "trak" { track = Track() }
        if Self.containers.contains(type) {
            guard depth < 8 else { throw CodecError.corrupt(format, reason: "boxes within boxes without end") }
            try check(content, depth: depth + 1)
        } else {
            try read(type, ByteReader(bytes.bytes(at: content.lowerBound, count: 16)), content)
        }
        if type == "trak" { try checkTrack() }
    }

    /// Reads the counts in a table. After the version and the flags stands the number of entries; of `stsz` the size of
    /// all samples stands before it.
    private mutating func read(_ type: String, _ reader: ByteReader, _ content: Range<Int>) throws {
        switch type {
        case "stsz", "stz2": track.sampleCount = max(track.sampleCount, reader.uint32(at: 8) ?? 0)
        case "stco", "co64": track.chunkCount = max(track.chunkCount, reader.uint32(at: 4) ?? 0)
        case "stts": track.hasUnitDurations = reader.uint32(at: 4) == 1 && reader.uint32(at: 12) == 1
        case "stsc": track.greatestChunk = max(track.greatestChunk, try greatestChunk(content))
        case "trun":
            fragmentSampleCount += reader.uint32(at: 4) ?? 0
            guard fragmentSampleCount <= Self.greatestSampleCount else { throw tooMany(fragmentSampleCount, "samples") }
        default: break
        }
    }

    /// Returns the greatest number of samples of a chunk: an entry has 12 bytes, the number in the middle.
    private func greatestChunk(_ content: Range<Int>) throws -> Int {
        let table = bytes.bytes(at: content.lowerBound + 8, count: min(max(0, content.count - 8), 12 << 20))
        let reader = ByteReader(table)
        return stride(from: 4, to: table.count, by: 12).reduce(0) { max($0, reader.uint32(at: $1) ?? 0) }
    }

    /// Sound without compression has a sample for each moment, of which libavformat takes 1,024 together.
    private func checkTrack() throws {
        let isGathered = track.hasUnitDurations
        let (product, overflows) = track.chunkCount.multipliedReportingOverflow(by: track.greatestChunk / 1_024 + 1)
        let count = isGathered ? (overflows ? .max : product) : track.sampleCount
        guard count <= Self.greatestSampleCount else { throw tooMany(count, "samples") }
    }

    private func tooMany(_ count: Int, _ things: String) -> CodecError {
        .unsupported(format, reason: "\(count) \(things) are more than any video has")
    }
}
#endif
