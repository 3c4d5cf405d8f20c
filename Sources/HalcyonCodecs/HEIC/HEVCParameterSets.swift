#if HEIC
internal import FoundationEssentials
internal import HalcyonRaster

/// The size of pictures as the sequence parameter sets of HEVC state it (ITU-T H.265, 7.3.2.2), which is what a decoder
/// takes memory and time for.
enum HEVCParameterSets {
    /// The greatest width and height of all parameter sets.
    enum Size: Equatable {
        /// There are no parameter sets.
        case none
        case known(PixelSize)
        /// One cannot be read.
        case unreadable

        fileprivate mutating func include(_ unit: Data) {
            guard let type = HEVCParameterSets.type(of: unit), type == HEVCParameterSets.sequenceType else {
                return
            }
            merge(HEVCParameterSets.size(ofSequence: unit).map { .known($0) } ?? .unreadable)
        }

        /// Makes this the size of both.
        mutating func merge(_ other: Size) {
            switch (self, other) {
            case (.unreadable, _), (_, .none): break
            case (_, .unreadable), (.none, _): self = other
            case (.known(let one), .known(let another)):
                self = .known(PixelSize(max(one.width, another.width), max(one.height, another.height)))
            }
        }
    }

    /// Those of a decoder configuration record (`hvcC`, ISO/IEC 14496-15, 8.3.3.1). Whatever kind an array of units is
    /// said to have, decoders look at the units.
    static func size(inConfiguration record: Data) -> Size {
        let reader = ByteReader(record)
        var size = Size.none
        var offset = 23
        for _ in 0..<(reader.uint8(at: 22) ?? 0) {
            guard let count = reader.uint16(at: offset + 1) else {
                return size
            }
            offset += 3
            for _ in 0..<count {
                guard let length = reader.uint16(at: offset), let unit = reader.bytes(at: offset + 2, count: length)
                else {
                    return size
                }
                size.include(unit)
                offset += 2 + length
            }
        }
        return size
    }

    /// Those among coded pictures, each unit behind its length. libheif takes the length to have four bytes, whatever the
    /// record says.
    static func size(inStream stream: Data) -> Size {
        let reader = ByteReader(stream)
        var size = Size.none
        var offset = 0
        while let length = reader.uint32(at: offset), let unit = reader.bytes(at: offset + 4, count: length) {
            size.include(unit)
            offset += 4 + length
        }
        return size
    }

    private static let sequenceType = 33

    /// The type of a unit (7.3.1.2); `nil` for one of another layer, which is coded otherwise and not decoded.
    private static func type(of unit: Data) -> Int? {
        guard let header = ByteReader(unit).uint16(at: 0), header >> 3 & 63 == 0 else {
            return nil
        }
        return header >> 9 & 63
    }

    private static func size(ofSequence unit: Data) -> PixelSize? {
        var bits = Bits(unit.dropFirst(2))
        guard bits.skip(4), let subLayerCount = bits.read(3), bits.skip(1 + 96),
            let subLayers = bits.read(subLayerCount > 0 ? 16 : 0)
        else {
            return nil
        }
        // For each layer below the highest, whether its profile and its level follow.
        for index in 0..<subLayerCount {
            let flags = subLayers >> (14 - 2 * index) & 3
            guard bits.skip((flags & 2 != 0 ? 88 : 0) + (flags & 1 != 0 ? 8 : 0)) else {
                return nil
            }
        }
        guard bits.readExponential() != nil, let chroma = bits.readExponential(), bits.skip(chroma == 3 ? 1 : 0),
            let width = bits.readExponential(), let height = bits.readExponential()
        else {
            return nil
        }
        return PixelSize(width, height)
    }

    /// The bits of a unit, the highest of a byte first.
    private struct Bits {
        private var bytes: [UInt8] = []
        private var position = 0

        /// The size lies within the first bytes, of which those against start codes are left out (7.4.2).
        init(_ unit: Data) {
            var zeroCount = 0
            for byte in unit.prefix(256) {
                if zeroCount >= 2, byte == 3 {
                    zeroCount = 0
                } else {
                    zeroCount = byte == 0 ? zeroCount + 1 : 0
                    bytes.append(byte)
                }
            }
        }

        mutating func skip(_ count: Int) -> Bool {
            position += count
            return position <= bytes.count * 8
        }

        mutating func read(_ count: Int) -> Int? {
            guard position + count <= bytes.count * 8 else {
                return nil
            }
            var value = 0
            for index in position..<position + count {
                value = value << 1 | Int(bytes[index / 8] >> (7 - index % 8) & 1)
            }
            position += count
            return value
        }

        /// A number in the code of Exp-Golomb (9.2).
        mutating func readExponential() -> Int? {
            var zeroCount = 0
            while let bit = read(1) {
                guard bit == 0 else {
                    return read(zeroCount).map { (1 << zeroCount) - 1 + $0 }
                }
                zeroCount += 1
                guard zeroCount <= 31 else {
                    return nil
                }
            }
            return nil
        }
    }
}
#endif
