internal import HalcyonRaster

/// A track of an image sequence (ISO/IEC 14496-12, clause 8.3).
struct AVIFTrack {
    /// "pict" for images, "auxv" for alpha and the like, "soun" for sound.
    let handler: String
    /// The size of the track's images.
    let size: PixelSize
    /// The number of times that the track plays; 0 for without end.
    let loopCount: Int
    /// The table of durations (`stts`): how many frames in a row stay how many ticks.
    private let timing: [(count: Int, ticks: Int)]

    init?(_ reader: ByteReader, track: ISOMediaBox) {
        guard let handlerBox = reader.payload(ofBox: "mdia", "hdlr", in: track.payload),
            let handler = reader.bytes(at: handlerBox.lowerBound + 8, count: 4),
            let header = reader.payload(ofBox: "tkhd", in: track.payload),
            let version = reader.uint8(at: header.lowerBound)
        else {
            return nil
        }
        self.handler = String(decoding: handler, as: UTF8.self)
        // Width and height are the last fields, with 16 bits after the point.
        size = PixelSize(
            (reader.uint32(at: header.upperBound - 8) ?? 0) >> 16,
            (reader.uint32(at: header.upperBound - 4) ?? 0) >> 16
        )
        let duration = Self.duration(reader, at: header.lowerBound + (version == 1 ? 28 : 20), isWide: version == 1)
        loopCount = Self.loopCount(reader, track: track.payload, duration: duration)
        timing = Self.timing(reader, track: track.payload)
    }

    /// Returns the duration of each frame in milliseconds, rounded. Frames that the table leaves out stay as long as
    /// the last that it has.
    ///
    /// libavif tells the same, but sums up all frames before for each.
    func durations(frameCount: Int, ticksPerSecond: Int) -> [Int] {
        guard ticksPerSecond > 0 else {
            return [Int](repeating: 0, count: frameCount)
        }
        var durations: [Int] = []
        durations.reserveCapacity(frameCount)
        for (index, entry) in timing.enumerated() where durations.count < frameCount {
            let milliseconds = (Double(entry.ticks) * 1_000 / Double(ticksPerSecond)).rounded()
            let rest = frameCount - durations.count
            let count = index == timing.count - 1 ? rest : min(entry.count, rest)
            durations += repeatElement(Int(min(milliseconds, Double(Int32.max))), count: count)
        }
        return durations + [Int](repeating: 0, count: frameCount - durations.count)
    }

    /// Times behind so many are left out.
    private static let greatestTimeCount = 1 << 14

    private static func timing(_ reader: ByteReader, track: Range<Int>) -> [(count: Int, ticks: Int)] {
        guard let table = reader.payload(ofBox: "mdia", "minf", "stbl", "stts", in: track), table.count >= 8,
            let entryCount = reader.uint32(at: table.lowerBound + 4)
        else {
            return []
        }
        return (0..<min(entryCount, (table.count - 8) / 8, greatestTimeCount)).compactMap { index in
            let offset = table.lowerBound + 8 + 8 * index
            guard let count = reader.uint32(at: offset), let ticks = reader.uint32(at: offset + 4) else {
                return nil
            }
            return (count, ticks)
        }
    }

    /// `nil` for one that is not known or has no end, which all bits set say.
    private static func duration(_ reader: ByteReader, at offset: Int, isWide: Bool) -> Int? {
        guard let first = reader.uint32(at: offset) else {
            return nil
        }
        guard isWide else {
            return first == 0xffff_ffff ? nil : first
        }
        guard first < 1 << 30, let second = reader.uint32(at: offset + 4) else {
            return nil
        }
        return first << 32 | second
    }

    /// An edit list with one entry and its first flag set repeats that entry until the track ends (AVIF 1.1, 7). Files
    /// without one play without end in browsers.
    private static func loopCount(_ reader: ByteReader, track: Range<Int>, duration: Int?) -> Int {
        guard let edits = reader.payload(ofBox: "edts", "elst", in: track),
            let version = reader.uint8(at: edits.lowerBound),
            let flags = reader.uint24(at: edits.lowerBound + 1), reader.uint32(at: edits.lowerBound + 4) == 1
        else {
            return 0
        }
        guard flags & 1 != 0 else {
            return 1
        }
        let segment = Self.duration(reader, at: edits.lowerBound + 8, isWide: version == 1)
        guard let duration, let segment, segment > 0 else {
            return 0
        }
        return max(1, (duration - 1) / segment + 1)
    }
}
