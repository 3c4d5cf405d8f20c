internal import FoundationEssentials
internal import HalcyonRaster

/// What a sequence header of AV1 (5.5) says of the size of its frames.
struct AV1SequenceHeader {
    /// That of each frame that does not state its own.
    let size: PixelSize
    /// The greatest that a frame can state. None may state more than ``size``, but dav1d 1.0 does not ask for that.
    let greatestStatedSize: PixelSize
    /// What the header of a frame has before it says whether it states a size; `nil` where no frame does.
    private let fields: FrameFields?

    /// Fields of frame headers (5.9.2).
    private struct FrameFields {
        let presentationTimeBitCount: Int
        let identifierBitCount: Int
        /// Whether frames may use tools for pictures of screens; `nil` where each says so itself.
        let usesScreenTools: Bool?
        /// Whether those then say whether their motion is by whole pixels.
        let statesIntegerMotion: Bool
    }

    /// Room for the longest header up to what is read: 32 operating points of 12 bytes each.
    private static let greatestByteCount = 512

    /// `nil` where the unit ends too early.
    init?(_ unit: Data) {
        var bits = BitReader(Array(unit.prefix(Self.greatestByteCount)))
        // The profile, and whether there is one picture only.
        guard bits.skip(4), let isReduced = bits.readFlag() else {
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
            return
        }
        guard let fields = Self.frameFields(&bits, presentationTimeBitCount) else {
            return nil
        }
        self.fields = fields
    }

    /// Whether a frame states a size of its own; `nil` where its header ends too early.
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

    private static func frameFields(_ bits: inout BitReader, _ presentationTimeBitCount: Int) -> FrameFields? {
        guard let hasIdentifiers = bits.readFlag(), let difference = bits.read(hasIdentifiers ? 4 : 0),
            let additional = bits.read(hasIdentifiers ? 3 : 0),
            // Superblocks and filters, then how frames are predicted.
            bits.skip(3 + 4), let hasOrder = bits.readFlag(), bits.skip(hasOrder ? 2 : 0),
            let choosesTools = bits.readFlag(), let usesTools = choosesTools ? true : bits.readFlag(),
            let choosesMotion = usesTools ? bits.readFlag() : false, bits.skip(usesTools && !choosesMotion ? 1 : 0)
        else {
            return nil
        }
        return FrameFields(
            presentationTimeBitCount: presentationTimeBitCount,
            identifierBitCount: hasIdentifiers ? difference + 2 + additional + 1 : 0,
            usesScreenTools: choosesTools ? nil : usesTools,
            statesIntegerMotion: choosesMotion
        )
    }
}
