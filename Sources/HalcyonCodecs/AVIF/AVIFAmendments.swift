internal import FoundationEssentials

/// Changes to single bytes of a file, so that libavif 0.11 reads what newer versions and browsers read. None moves a
/// box.
struct AVIFAmendments {
    let reader: ByteReader
    private var bytes: [(offset: Int, values: [UInt8])] = []

    init(_ reader: ByteReader) {
        self.reader = reader
    }

    /// The file with all changes; the same bytes where there are none.
    func applied() -> Data {
        guard !bytes.isEmpty else {
            return reader.data
        }
        var data = reader.data
        for (offset, values) in bytes {
            let start = data.startIndex + offset
            data.replaceSubrange(start..<start + values.count, with: values)
        }
        return data
    }

    /// Replaces the bytes at an offset.
    mutating func change(at offset: Int, to values: [UInt8]) {
        bytes.append((offset, values))
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

    private func firstBox(in range: Range<Int>) -> ISOMediaBox? {
        var boxes = reader.boxes(in: range)
        return boxes.next()
    }
}
