internal import FoundationEssentials

/// The size of pictures in units of AV1 (open bitstream units, 5.3).
struct AV1Units {
    private(set) var size = CodedSize.none
    /// The planes that frames have; what frames say of their own size counts where that is looked at.
    private(set) var layout = CodedLayout.none
    private var header: AV1SequenceHeader?
    private let includesFrames: Bool

    private init(includesFrames: Bool) {
        self.includesFrames = includesFrames
    }

    /// That of an item, with and without what its configuration (`av1C`, AV1 in ISOBMFF 2.3.3) holds: libheif hands its
    /// decoders that before the item's own bytes, libavif does not.
    ///
    /// - Parameter includesFrames: Whether a frame that states its own size, as those of smaller layers do, counts as the
    ///   greatest that it can state: where nothing bounds what the decoder takes for it.
    static func size(ofItem content: Data, configuration: Data, includesFrames: Bool) -> CodedSize {
        units(ofItem: content, configuration: configuration, includesFrames: includesFrames).size
    }

    /// The planes of the same.
    static func layout(ofItem content: Data, configuration: Data) -> CodedLayout {
        units(ofItem: content, configuration: configuration, includesFrames: true).layout
    }

    private static func units(ofItem content: Data, configuration: Data, includesFrames: Bool) -> AV1Units {
        let setup = configuration.dropFirst(4)
        var alone = AV1Units(includesFrames: includesFrames)
        var whole = alone
        alone.read(content)
        if whole.read(setup) {
            whole.read(content)
        } else {
            // A unit that the decoder reads reaches from one into the other.
            whole.read(setup + content)
        }
        alone.size.merge(whole.size)
        alone.layout.merge(whole.layout)
        return alone
    }

    /// Looks at the units up to one that is not there as a whole, as decoders do. Linear in the number of units.
    ///
    /// - Returns: Whether all units say how long they are, and the last ends where the bytes do.
    @discardableResult
    private mutating func read(_ units: Data) -> Bool {
        let reader = ByteReader(units)
        var (offset, isExact) = (0, true)
        while let first = reader.uint8(at: offset) {
            var start = offset + (first & 4 == 0 ? 1 : 2)
            var count = units.count - start
            if first & 2 != 0 {
                guard let length = Self.length(reader, at: start) else {
                    return false
                }
                start += length.byteCount
                count = length.value
            } else {
                isExact = false
            }
            guard let unit = reader.bytes(at: start, count: count) else {
                return false
            }
            include(unit, type: first >> 3 & 15)
            offset = start + count
        }
        return isExact
    }

    private mutating func include(_ unit: Data, type: Int) {
        switch type {
        case 1:
            header = AV1SequenceHeader(unit)
            size.merge(header.map { .known($0.size) } ?? .unreadable)
            layout.merge(header?.layout.map { .known($0) } ?? .contradictory)
        case 3 where includesFrames, 6 where includesFrames, 7 where includesFrames:
            // Without a sequence header, decoders pass over frames.
            guard let header else {
                return
            }
            switch header.isOverridden(byFrame: unit) {
            case nil:
                size.merge(.unreadable)
                layout.merge(.contradictory)
            case true?:
                size.merge(.known(header.greatestStatedSize))
                layout.merge(.contradictory)
            case false?: break
            }
        default:
            break
        }
    }

    /// A number of seven bits a byte, the lowest first (4.10.5).
    private static func length(_ reader: ByteReader, at offset: Int) -> (value: Int, byteCount: Int)? {
        var value = 0
        for index in 0..<8 {
            guard let byte = reader.uint8(at: offset + index) else {
                return nil
            }
            value |= (byte & 0x7f) << (7 * index)
            if byte & 0x80 == 0 {
                return (value, index + 1)
            }
        }
        return nil
    }
}
