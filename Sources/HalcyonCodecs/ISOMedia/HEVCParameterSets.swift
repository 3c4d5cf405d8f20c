internal import FoundationEssentials
internal import HalcyonRaster

/// The size of pictures as the sequence parameter sets of HEVC state it (ITU-T H.265, 7.3.2.2), which is what a decoder
/// takes memory and time for.
enum HEVCParameterSets {
    /// Those of a decoder configuration record (`hvcC`, ISO/IEC 14496-15, 8.3.3.1). Whatever kind an array of units is
    /// said to have, decoders look at the units.
    static func size(inConfiguration record: Data) -> CodedSize {
        let reader = ByteReader(record)
        var size = CodedSize.none
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
                size.merge(Self.size(ofUnit: unit))
                offset += 2 + length
            }
        }
        return size
    }

    /// Those among coded pictures, each unit behind its length. libheif takes the length to have four bytes, whatever the
    /// record says.
    static func size(inStream stream: Data) -> CodedSize {
        let reader = ByteReader(stream)
        var size = CodedSize.none
        var offset = 0
        while let length = reader.uint32(at: offset), let unit = reader.bytes(at: offset + 4, count: length) {
            size.merge(Self.size(ofUnit: unit))
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

    private static func size(ofUnit unit: Data) -> CodedSize {
        guard type(of: unit) == sequenceType else {
            return .none
        }
        return size(ofSequence: unit).map { .known($0) } ?? .unreadable
    }

    private static func size(ofSequence unit: Data) -> PixelSize? {
        var bits = BitReader(content(of: unit.dropFirst(2)))
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

    /// The size lies within the first bytes, of which those against start codes are left out (7.4.2).
    private static func content(of unit: Data) -> [UInt8] {
        var (bytes, zeroCount) = ([UInt8](), 0)
        for byte in unit.prefix(256) {
            if zeroCount >= 2, byte == 3 {
                zeroCount = 0
            } else {
                zeroCount = byte == 0 ? zeroCount + 1 : 0
                bytes.append(byte)
            }
        }
        return bytes
    }
}
