internal import FoundationEssentials
internal import HalcyonRaster

/// The size of frames as a sequence header of AV1 (5.5) states it.
struct AV1SequenceHeader {
    /// That of each frame that does not state its own.
    let size: PixelSize
    /// The greatest that a frame can state. None may state more than ``size``, but dav1d 1.0 does not ask for that.
    let greatestStatedSize: PixelSize
    /// The planes of such frames; `nil` where the header ends too early.
    let layout: PlaneLayout?
    /// The fields of a frame's header before the one that indicates whether it states a size; `nil` where no frame
    /// does.
    private let fields: FrameFields?

    /// Fields of frame headers (5.9.2).
    private struct FrameFields {
        let presentationTimeBitCount: Int
        let identifierBitCount: Int
        /// A Boolean value that indicates whether frames may use tools for images of screens; `nil` where each says so
        /// itself.
        let usesScreenTools: Bool?
        /// A Boolean value that indicates whether those then say whether their motion is by whole pixels.
        let statesIntegerMotion: Bool
    }

    /// Room for the longest header up to what is read: 32 operating points of 12 bytes each.
    private static let greatestByteCount = 512

    /// `nil` where the unit ends too early.
    init?(_ unit: Data) {
        var bits = BitReader(Array(unit.prefix(Self.greatestByteCount)))
        // Between them: whether there is one image only.
        guard let profile = bits.read(3), bits.skip(1), let isReduced = bits.readFlag() else {
            return nil
        }
        let presentationTimeBitCount = isReduced ? (bits.skip(5) ? 0 : nil) : Self.skipOperatingPoints(&bits)
        guard let presentationTimeBitCount,
            let widthBitCount = bits.read(4), let heightBitCount = bits.read(4),
            let width = bits.read(widthBitCount + 1), let height = bits.read(heightBitCount + 1)
        else {
            return nil
        }
        size = PixelSize(width + 1, height + 1)
        greatestStatedSize = PixelSize(2 << widthBitCount, 2 << heightBitCount)
        guard !isReduced else {
            fields = nil
            // Superblocks and filters.
            layout = bits.skip(3) ? Self.layout(&bits, size, profile: profile) : nil
            return
        }
        guard let (fields, hasOrder) = Self.frameFields(&bits, presentationTimeBitCount) else {
            return nil
        }
        self.fields = fields
        layout = bits.skip(hasOrder ? 3 : 0) ? Self.layout(&bits, size, profile: profile) : nil
    }

    /// The configuration of colours (5.5.2), behind three flags.
    private static func layout(_ bits: inout BitReader, _ size: PixelSize, profile: Int) -> PlaneLayout? {
        guard bits.skip(3), let isDeep = bits.readFlag(),
            let isDeepest = profile == 2 && isDeep ? bits.readFlag() : false,
            let isGray = profile == 1 ? false : bits.readFlag(), let isDescribed = bits.readFlag(),
            let description = bits.read(isDescribed ? 24 : 0)
        else {
            return nil
        }
        let depth = isDeepest ? 12 : isDeep ? 10 : 8
        if isGray {
            return PlaneLayout(size: size, chroma: 0, depths: [depth, 0])
        }
        // sRGB by its code points (BT.709, sRGB, identity) has no range, and all colours.
        let isRGB = isDescribed && description == 1 << 16 | 13 << 8
        guard isRGB || bits.skip(1) else {
            return nil
        }
        var chroma = [1, 3, 2][min(profile, 2)]
        if isRGB {
            chroma = 3
        } else if profile == 2, isDeepest {
            guard let isHalfAsWide = bits.readFlag(), let isHalfAsHigh = isHalfAsWide ? bits.readFlag() : false else {
                return nil
            }
            chroma = isHalfAsHigh ? 1 : isHalfAsWide ? 2 : 3
        }
        return PlaneLayout(size: size, chroma: chroma, depths: [depth, depth])
    }

    /// Returns whether a frame states a size of its own; `nil` where its header ends too early.
    func isOverridden(byFrame unit: Data) -> Bool? {
        guard let fields else {
            return false
        }
        var bits = BitReader(Array(unit.prefix(16)))
        guard let repeatsOther = bits.readFlag() else {
            return nil
        }
        guard !repeatsOther else {
            return false
        }
        guard let type = bits.read(2), let isShown = bits.readFlag() else {
            return nil
        }
        let (keyFrame, switchFrame) = (0, 3)
        let statesResilience = type != switchFrame && !(type == keyFrame && isShown)
        guard bits.skip(isShown ? fields.presentationTimeBitCount : 1), bits.skip(statesResilience ? 1 : 0),
            bits.skip(1), let usesScreenTools = fields.usesScreenTools ?? bits.readFlag(),
            bits.skip(usesScreenTools && fields.statesIntegerMotion ? 1 : 0), bits.skip(fields.identifierBitCount)
        else {
            return nil
        }
        return type == switchFrame ? true : bits.readFlag()
    }

    /// The bits of a time in the header of a frame that is shown, or `nil` where the unit ends too early.
    private static func skipOperatingPoints(_ bits: inout BitReader) -> Int? {
        guard let hasTiming = bits.readFlag() else {
            return nil
        }
        var (presentationTimeBitCount, delayBitCount): (Int, Int?) = (0, nil)
        if hasTiming {
            guard bits.skip(64), let isRegular = bits.readFlag(), !isRegular || bits.readExponential() != nil,
                let hasModel = bits.readFlag()
            else {
                return nil
            }
            if hasModel {
                guard let delay = bits.read(5), bits.skip(32 + 5), let time = bits.read(5) else {
                    return nil
                }
                delayBitCount = delay + 1
                presentationTimeBitCount = isRegular ? 0 : time + 1
            }
        }
        guard let hasDisplayDelay = bits.readFlag(), let lastPoint = bits.read(5) else {
            return nil
        }
        for _ in 0...lastPoint {
            guard bits.skip(12), let level = bits.read(5), bits.skip(level > 7 ? 1 : 0),
                let hasModel = delayBitCount == nil ? false : bits.readFlag(),
                bits.skip(hasModel ? 2 * (delayBitCount ?? 0) + 1 : 0),
                let hasDelay = hasDisplayDelay ? bits.readFlag() : false, bits.skip(hasDelay ? 4 : 0)
            else {
                return nil
            }
        }
        return presentationTimeBitCount
    }

    private static func frameFields(
        _ bits: inout BitReader,
        _ presentationTimeBitCount: Int
    ) -> (fields: FrameFields, hasOrder: Bool)? {
        guard let hasIdentifiers = bits.readFlag(), let difference = bits.read(hasIdentifiers ? 4 : 0),
            let additional = bits.read(hasIdentifiers ? 3 : 0),
            // Superblocks and filters, then how frames are predicted.
            bits.skip(3 + 4), let hasOrder = bits.readFlag(), bits.skip(hasOrder ? 2 : 0),
            let choosesTools = bits.readFlag(), let usesTools = choosesTools ? true : bits.readFlag(),
            let choosesMotion = usesTools ? bits.readFlag() : false, bits.skip(usesTools && !choosesMotion ? 1 : 0)
        else {
            return nil
        }
        let fields = FrameFields(
            presentationTimeBitCount: presentationTimeBitCount,
            identifierBitCount: hasIdentifiers ? difference + 2 + additional + 1 : 0,
            usesScreenTools: choosesTools ? nil : usesTools,
            statesIntegerMotion: choosesMotion
        )
        return (fields, hasOrder)
    }
}
