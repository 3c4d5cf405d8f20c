internal import FoundationEssentials
internal import HalcyonRaster

/// The size of images as the sequence parameter sets of HEVC state it (ITU-T H.265, 7.3.2.2), which is what a decoder
/// takes memory and time for.
struct HEVCParameterSets {
    private(set) var size = CodedSize.none
    /// The planes that they state.
    private(set) var layout = CodedLayout.none
    /// The units that were looked at.
    private(set) var unitCount = 0

    /// Units that an image may have: at most 600 slices (table A.8), beside a few headers.
    private static let greatestUnitCount = 65_536

    /// Those of a decoder configuration record (`hvcC`, ISO/IEC 14496-15, 8.3.3.1). Whatever kind an array of units is
    /// said to have, decoders look at the units.
    init(inConfiguration record: Data) {
        let reader = ByteReader(record)
        var offset = 23
        for _ in 0..<(reader.uint8(at: 22) ?? 0) {
            guard let count = reader.uint16(at: offset + 1) else {
                return
            }
            offset += 3
            for _ in 0..<count {
                guard let length = reader.uint16(at: offset), let unit = reader.bytes(at: offset + 2, count: length),
                    include(unit)
                else {
                    return
                }
                offset += 2 + length
            }
        }
    }

    /// Those among coded images, each unit behind its length. libheif takes the length to have four bytes, whatever the
    /// record says.
    init(inStream stream: Data) {
        let reader = ByteReader(stream)
        var offset = 0
        while let length = reader.uint32(at: offset), let unit = reader.bytes(at: offset + 4, count: length),
            include(unit)
        {
            offset += 4 + length
        }
    }

    /// Adds what a unit says, and returns whether there may be more of them.
    private mutating func include(_ unit: Data) -> Bool {
        unitCount += 1
        guard unitCount <= Self.greatestUnitCount else {
            size.merge(.unreadable)
            layout.merge(.contradictory)
            return false
        }
        size.merge(Self.size(ofUnit: unit))
        layout.merge(Self.layout(ofUnit: unit))
        return true
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
        var bits = BitReader(content(of: unit.dropFirst(2)))
        return beginning(ofSequence: &bits).map { .known($0.size) } ?? .unreadable
    }

    private static func layout(ofUnit unit: Data) -> CodedLayout {
        guard type(of: unit) == sequenceType else {
            return .none
        }
        var bits = BitReader(content(of: unit.dropFirst(2)))
        guard let (chroma, size) = beginning(ofSequence: &bits), 0...3 ~= chroma, let isCropped = bits.readFlag() else {
            return .contradictory
        }
        // Left, right, top and bottom, in samples of colour (conformance_window_flag).
        var window = [0, 0, 0, 0]
        for edge in window.indices where isCropped {
            guard let offset = bits.readExponential() else {
                return .contradictory
            }
            window[edge] = offset * (edge < 2 ? (chroma == 1 || chroma == 2 ? 2 : 1) : (chroma == 1 ? 2 : 1))
        }
        guard let brightness = bits.readExponential(), let color = bits.readExponential() else {
            return .contradictory
        }
        let shown = PixelSize(size.width - window[0] - window[1], size.height - window[2] - window[3])
        guard !shown.isEmpty else {
            return .contradictory
        }
        return .known(PlaneLayout(size: shown, chroma: chroma, depths: [8 + brightness, chroma == 0 ? 0 : 8 + color]))
    }

    /// The chroma format and the size in a sequence parameter set, up to which this reads.
    private static func beginning(ofSequence bits: inout BitReader) -> (chroma: Int, size: PixelSize)? {
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
        return (chroma, PixelSize(width, height))
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
