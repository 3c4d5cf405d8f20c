internal import FoundationEssentials

/// Writes how often an image sequence plays, which libavif 0.11 leaves out: an edit list that repeats (AVIF 1.1, 7) in
/// each track, and the duration of all rounds.
struct AVIFLoopCount {
    /// An `edts` box around an `elst` box of version 1 with one entry.
    private static let editBoxByteCount = 44

    private var bytes: [UInt8]
    private var insertions: [(offset: Int, bytes: [UInt8])] = []
    private let loopCount: Int
    private let movie: ISOMediaBox
    private let tracks: [ISOMediaBox]

    /// The same file, playing so often; `file` as it is for 0, which stands for without end, as files without such a
    /// list are understood. `file` must come from libavif's encoder.
    static func set(_ loopCount: Int, in file: Data) -> Data {
        guard loopCount > 0, var edit = AVIFLoopCount(file, loopCount: loopCount), edit.apply() else {
            return file
        }
        return Data(edit.bytes)
    }

    private init?(_ file: Data, loopCount: Int) {
        let reader = ByteReader(file)
        guard let movie = reader.boxes(in: 0..<reader.count).first(where: { $0.type == "moov" }) else {
            return nil
        }
        self.movie = movie
        tracks = reader.boxes(in: movie.payload).filter { $0.type == "trak" }
        bytes = Array(file)
        self.loopCount = loopCount
    }

    /// Makes the changes, and returns whether every part was found where libavif puts it.
    private mutating func apply() -> Bool {
        let reader = ByteReader(Data(bytes))
        let growth = Self.editBoxByteCount * tracks.count
        guard let header = reader.payload(ofBox: "mvhd", in: movie.payload), !tracks.isEmpty,
            multiplyDuration(reader, at: header.lowerBound + 24) != nil,
            moveItems(reader, by: growth)
        else {
            return false
        }
        add(growth, at: movie.start, reader)
        for track in tracks {
            guard let header = reader.payload(ofBox: "tkhd", in: track.payload),
                let duration = multiplyDuration(reader, at: header.lowerBound + 28),
                let chunks = reader.payload(ofBox: "mdia", "minf", "stbl", "stco", in: track.payload),
                let chunkCount = reader.uint32(at: chunks.lowerBound + 4), chunkCount <= chunks.count / 4
            else {
                return false
            }
            for index in 0..<chunkCount {
                add(growth, at: chunks.lowerBound + 8 + 4 * index, reader)
            }
            add(Self.editBoxByteCount, at: track.start, reader)
            insertions.append((header.upperBound, Self.editBox(duration: duration)))
        }
        for (offset, box) in insertions.reversed() {
            bytes.insert(contentsOf: box, at: offset)
        }
        return true
    }

    /// Multiplies a duration of 64 bits and returns what it was.
    private mutating func multiplyDuration(_ reader: ByteReader, at offset: Int) -> Int? {
        guard reader.uint32(at: offset) == 0, let duration = reader.uint32(at: offset + 4) else {
            return nil
        }
        // Rounds beyond 2^31 count as without end.
        set(duration * min(loopCount, 1 << 31), at: offset, byteCount: 8)
        return duration
    }

    /// The items of the file, which is also a still image, lie behind the tracks (`iloc`, version 0).
    private mutating func moveItems(_ reader: ByteReader, by growth: Int) -> Bool {
        guard let meta = reader.payload(ofBox: "meta", in: 0..<reader.count), meta.count > 4,
            let locations = reader.payload(ofBox: "iloc", in: meta.lowerBound + 4..<meta.upperBound),
            reader.uint32(at: locations.lowerBound) == 0, reader.uint16(at: locations.lowerBound + 4) == 0x4400,
            let itemCount = reader.uint16(at: locations.lowerBound + 6)
        else {
            return false
        }
        var offset = locations.lowerBound + 8
        for _ in 0..<itemCount {
            guard let extentCount = reader.uint16(at: offset + 4) else {
                return false
            }
            offset += 6
            for _ in 0..<extentCount {
                add(growth, at: offset, reader)
                offset += 8
            }
        }
        return offset == locations.upperBound
    }

    private mutating func add(_ summand: Int, at offset: Int, _ reader: ByteReader) {
        if let value = reader.uint32(at: offset) {
            set(value + summand, at: offset, byteCount: 4)
        }
    }

    private mutating func set(_ value: Int, at offset: Int, byteCount: Int) {
        for index in 0..<byteCount {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - index)))
        }
    }

    /// ISO/IEC 14496-12, 8.6.5 and 8.6.6; the flag 1 repeats.
    private static func editBox(duration: Int) -> [UInt8] {
        var box: [UInt8] = [0, 0, 0, 44] + Array("edts".utf8) + [0, 0, 0, 36] + Array("elst".utf8)
        box += [1, 0, 0, 1, 0, 0, 0, 1]
        box += withUnsafeBytes(of: UInt64(duration).bigEndian, Array.init)
        // From the beginning of the media, at normal speed.
        return box + [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]
    }
}
