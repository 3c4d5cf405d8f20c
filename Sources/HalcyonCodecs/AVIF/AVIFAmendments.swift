internal import FoundationEssentials

/// Changes to single bytes of a file, so that libavif 0.11 reads what newer versions and browsers read. None moves a
/// box.
struct AVIFAmendments {
    let reader: ByteReader
    private var bytes: [(offset: Int, values: [UInt8])] = []
    /// The order in which the boxes name items, and the places of their entries, once they were looked up.
    var ranks: [Int: Int]?
    var entries: [Int: Range<Int>]?

    init(_ reader: ByteReader) {
        self.reader = reader
    }

    /// The file with all changes; the same bytes where there are none.
    func applied() -> Data {
        reader.data.replacing(bytes)
    }

    /// Replaces the bytes at an offset.
    mutating func change(at offset: Int, to values: some Sequence<UInt8>) {
        bytes.append((offset, Array(values)))
    }

    /// libavif refuses a size of 0, which stands for the rest of the file.
    mutating func close(_ box: ISOMediaBox) {
        let size = box.payload.upperBound - box.start
        guard size <= 0xffff_ffff else {
            return
        }
        bytes.append((box.start, withUnsafeBytes(of: UInt32(size).bigEndian, Array.init)))
    }

    /// libavif refuses two boxes of properties of the same version and flags, which some writers use, one for the
    /// image and one for its alpha. Bits of the flags that have no meaning tell them apart.
    mutating func separateAssociations(_ boxes: [ISOMediaBox]) {
        var seen: Set<[UInt8]> = []
        for box in boxes {
            guard var kind = reader.bytes(at: box.payload.lowerBound, count: 4).map(Array.init) else {
                return
            }
            let isRepeated = seen.contains(kind)
            while seen.contains(kind), kind[3] < 0xfe {
                kind[3] += 2
            }
            seen.insert(kind)
            if isRepeated {
                bytes.append((box.payload.lowerBound, kind))
            }
        }
    }

    /// libavif refuses tracks without a size, such as sound, and takes every auxiliary track for alpha.
    mutating func hideTracks(_ tracks: [ISOMediaBox]) {
        for track in tracks {
            let handler = AVIFTrack(reader, track: track)?.handler
            if handler == "auxv" ? isKnownNotToBeAlpha(track) : handler != "pict" {
                bytes.append((track.start + 4, Array("free".utf8)))
            }
        }
    }

    /// Returns whether the track's sample description names a type (`auxi`) that is not one of those for alpha.
    private func isKnownNotToBeAlpha(_ track: ISOMediaBox) -> Bool {
        guard let descriptions = reader.payload(ofBox: "mdia", "minf", "stbl", "stsd", in: track.payload),
            descriptions.count > 8,
            let entry = firstBox(in: descriptions.lowerBound + 8..<descriptions.upperBound),
            // A visual sample entry has 78 bytes of its own before its boxes.
            entry.payload.count > 78,
            let type = reader.payload(ofBox: "auxi", in: entry.payload.lowerBound + 78..<entry.payload.upperBound),
            let name = reader.bytes(at: type.lowerBound + 4, count: max(0, type.count - 4))
        else {
            return false
        }
        let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        return !["urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"].contains(text)
    }

    /// Cuts the tables of a track to its first frames, so that libavif takes neither memory nor time for others: it looks
    /// for the chunk of each frame among all entries, and for the time of each that is decoded among those of all frames
    /// before. What a file says of times is read by ``AVIFTrack``.
    ///
    /// - Returns: Whether the track has more frames.
    mutating func cutTables(of track: ISOMediaBox, toFrames greatestCount: Int) -> Bool {
        guard let content = reader.payload(ofBox: "mdia", "minf", "stbl", in: track.payload) else {
            return false
        }
        let tables = Array(reader.boxes(in: content))
        let chunks = ChunkTables(reader, tables, greatestFrameCount: greatestCount)
        if chunks.isCut, chunks.keptCount == 0, let first = tables.first(where: { $0.type == "stsc" }) {
            // The frames of the first chunk, behind its number.
            change(at: first.payload.lowerBound + 12, toCount: greatestCount)
        }
        var restOfChunks = chunks.isCut ? max(1, chunks.keptCount) : Int.max
        for table in tables {
            let place = table.payload.lowerBound + (table.type == "stsz" ? 8 : 4)
            guard let count = reader.uint32(at: place) else {
                continue
            }
            switch table.type {
            case "stco", "co64":
                if count > restOfChunks { change(at: place, toCount: restOfChunks) }
                restOfChunks -= min(count, restOfChunks)
            case "stsz", "stss":
                if count > greatestCount { change(at: place, toCount: greatestCount) }
            case "stsc":
                if count > chunks.entryCount { change(at: place, toCount: chunks.entryCount) }
            case "stts":
                let isLong = count > Self.greatestTimeCount || chunks.frameCount > Self.greatestTimeCount
                if count > 1, isLong { change(at: place, toCount: 1) }
            default: break
            }
        }
        return chunks.isCut
    }

    /// The most durations among which libavif looks for those of all frames.
    private static let greatestTimeCount = 256

    private mutating func change(at offset: Int, toCount count: Int) {
        change(at: offset, to: withUnsafeBytes(of: UInt32(clamping: count).bigEndian, Array.init))
    }

    private func firstBox(in range: Range<Int>) -> ISOMediaBox? {
        var boxes = reader.boxes(in: range)
        return boxes.next()
    }
}

/// The chunks of a track (`stco`, `co64`) and how many frames each has (`stsc`, ISO/IEC 14496-12, 8.7.4).
private struct ChunkTables {
    /// The frames of the first chunks, as many as were asked for at most.
    private(set) var frameCount = 0
    /// The number of those chunks.
    private(set) var keptCount = 0
    /// A Boolean value that indicates whether there are more frames.
    private(set) var isCut = false
    /// The entries that tell of those chunks.
    private(set) var entryCount = 1

    /// Linear in the number of the frames that were asked for.
    init(_ reader: ByteReader, _ tables: [ISOMediaBox], greatestFrameCount: Int) {
        let chunkCount = tables.reduce(0) { sum, table in
            let isList = table.type == "stco" || table.type == "co64"
            return sum + (isList ? reader.uint32(at: table.payload.lowerBound + 4) ?? 0 : 0)
        }
        guard let list = tables.first(where: { $0.type == "stsc" })?.payload,
            let listCount = reader.uint32(at: list.lowerBound + 4)
        else {
            return
        }
        // The number of the first chunk, from 1, the frames of each, and what describes them.
        func field(_ index: Int, of entry: Int) -> Int? {
            entry < min(listCount, greatestFrameCount)
                ? reader.uint32(at: list.lowerBound + 8 + 12 * entry + 4 * index) : nil
        }
        while keptCount < chunkCount {
            while let next = field(0, of: entryCount), next <= keptCount + 1 { entryCount += 1 }
            guard let count = field(1, of: entryCount - 1), count > 0 else {
                return
            }
            guard count <= greatestFrameCount - frameCount else {
                isCut = true
                return
            }
            frameCount += count
            keptCount += 1
        }
    }
}
