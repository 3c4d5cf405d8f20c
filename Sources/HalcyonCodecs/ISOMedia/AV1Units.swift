internal import FoundationEssentials

/// The size of images in units of AV1 (open bitstream units, 5.3).
struct AV1Units {
    private(set) var size = CodedSize.none
    /// The planes that frames have; what frames say of their own size counts where that is looked at.
    private(set) var layout = CodedLayout.none
    /// The units that were looked at.
    private(set) var count = 0
    private var header: AV1SequenceHeader?
    private let includesFrames: Bool

    /// Units that an item may have: an image has no more than 4,096 tiles (annex A), each in a unit of its own at most,
    /// beside a few headers for each of its layers.
    private static let greatestCount = 65_536

    private init(includesFrames: Bool) {
        self.includesFrames = includesFrames
    }

    /// Those of an item, with and without what its configuration (`av1C`, AV1 in ISOBMFF 2.3.3) holds: libheif hands
    /// its decoders that before the item's own bytes, libavif does not.
    ///
    /// - Parameter includesFrames: Whether a frame that states its own size, as those of smaller layers do, counts in
    ///   ``size`` as the greatest that it can state: where nothing bounds what the decoder takes for it. In ``layout``
    ///   it always counts.
    init(ofItem content: Data, configuration: Data, includesFrames: Bool) {
        let setup = configuration.dropFirst(4)
        self.init(includesFrames: includesFrames)
        var whole = self
        read(content)
        if whole.read(setup) {
            whole.read(content)
        } else {
            // A unit that the decoder reads reaches from one into the other.
            whole.read(setup + content)
        }
        size.merge(whole.size)
        layout.merge(whole.layout)
        count += whole.count
    }

    /// Looks at the units up to one that is not there as a whole, as decoders do. Linear in the number of units.
    ///
    /// - Returns: Whether all units say how long they are, and the last ends where the bytes do.
    @discardableResult
    private mutating func read(_ units: Data) -> Bool {
        let reader = ByteReader(units)
        let greatest = count + Self.greatestCount
        var (offset, isExact) = (0, true)
        while let first = reader.uint8(at: offset) {
            count += 1
            guard count <= greatest else {
                size.merge(.unreadable)
                layout.merge(.contradictory)
                return false
            }
            var start = offset + (first & 4 == 0 ? 1 : 2)
            var byteCount = units.count - start
            if first & 2 != 0 {
                guard let length = Self.length(reader, at: start) else {
                    return false
                }
                start += length.byteCount
                byteCount = length.value
            } else {
                isExact = false
            }
            guard let unit = reader.bytes(at: start, count: byteCount) else {
                return false
            }
            include(unit, type: first >> 3 & 15)
            offset = start + byteCount
        }
        return isExact
    }

    private mutating func include(_ unit: Data, type: Int) {
        switch type {
        case 1:
            header = AV1SequenceHeader(unit)
            size.merge(header.map { .known($0.size) } ?? .unreadable)
            layout.merge(header?.layout.map { .known($0) } ?? .contradictory)
        case 3, 6, 7:
            // Without a sequence header, decoders pass over frames.
            guard let header else {
                return
            }
            switch header.isOverridden(byFrame: unit) {
            case nil:
                if includesFrames { size.merge(.unreadable) }
                layout.merge(.contradictory)
            case true?:
                if includesFrames { size.merge(.known(header.greatestStatedSize)) }
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
