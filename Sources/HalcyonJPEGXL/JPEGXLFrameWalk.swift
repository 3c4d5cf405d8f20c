internal import CJPEGXLShim
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// The frames of a code stream by their headers (ISO/IEC 18181-1, annexes F and G), in the order of the file.
///
/// libjxl tells of frames that are shown or drawn on, but not of those that others only take pixels from: a frame of any
/// size, in a few bytes, which it decodes all the same.
struct JPEGXLFrameWalk {
    struct Frame {
        enum Kind: UInt64 { case regular, lowFrequency, referenceOnly, skipProgressive }

        let kind: Kind
        /// The pixels that are decoded.
        let size: PixelSize
        /// Whether it is the last frame of what is shown at one time.
        let isShown: Bool
        let isLast: Bool
        /// Where the pixels are kept for later frames; `nil` where they are not.
        let place: Int?

        /// A Boolean value that indicates whether libjxl tells nothing of the frame: neither those that others take pixels
        /// from, nor, in version 0.7, those that are passed over while an image is shown as it arrives.
        var isHidden: Bool {
            switch kind {
            case .regular: false
            case .lowFrequency, .referenceOnly: true
            case .skipProgressive: !isShown
            }
        }
    }

    private var bits: BitReaderFromLowest
    private let basics: JxlBasicInfo
    private var isPreview: Bool
    private var isAtEnd = false
    /// The work that may still be done for the orders of sections, see ``JPEGXLEntropyReader``.
    private var work = Self.greatestWork

    /// 64 of the largest codes, or the sections of an animation of two million: the work of some 50 ms with that of libjxl.
    private static let greatestWork = 1 << 21

    /// Whether the walk ended because the next frame would take too much work.
    var isExhausted: Bool { work < 0 }

    /// Whether the walk ended at a frame that could not be read although its bytes are there: what follows it is not known.
    private(set) var isUnreadable = false

    /// The first byte behind the frame that was read last.
    private(set) var offset: Int

    /// - Parameters:
    ///   - stream: The code stream, without its container.
    ///   - offset: The first byte behind the header of the image.
    init(_ stream: Data, from offset: Int, _ basics: JxlBasicInfo) {
        bits = BitReaderFromLowest(stream)
        self.offset = offset
        self.basics = basics
        isPreview = basics.have_preview != 0
    }

    /// Returns the next frame; `nil` where there is none, or its header is cut or makes no sense.
    mutating func next() -> Frame? {
        while !isAtEnd {
            let wasPreview = isPreview
            isPreview = false
            bits.seek(toByte: offset)
            let (frame, sectionsEnd) = readFrame(isPreview: wasPreview)
            guard !bits.isBehindEnd, let frame else {
                isUnreadable = !bits.isBehindEnd
                break
            }
            isAtEnd = sectionsEnd == nil || frame.isLast && !wasPreview
            offset = sectionsEnd ?? offset
            if !wasPreview { return frame }
        }
        isAtEnd = true
        return nil
    }

    /// The end is `nil` where it is not known.
    private mutating func readFrame(isPreview: Bool) -> (Frame?, end: Int?) {
        let image =
            isPreview
            ? PixelSize(Int(basics.preview.xsize), Int(basics.preview.ysize))
            : PixelSize(Int(basics.xsize), Int(basics.ysize))
        var header = FrameHeader(size: image)
        if bits.next() == 0 {
            guard header.read(&bits, image: image, basics) else { return (nil, nil) }
        }
        let frame = Frame(
            kind: header.kind,
            size: header.size,
            isShown: header.isLast || header.duration > 0 && !header.isHidden,
            isLast: header.isLast,
            place: header.isLast || header.kind == .lowFrequency ? nil : Int(header.place)
        )
        let isPermuted = bits.next() != 0
        let count = header.sectionCount
        // As many bytes at least.
        guard count <= bits.remainingByteCount else { return (frame, nil) }
        // The length of the sections is the same in each order.
        if isPermuted, !JPEGXLEntropyReader.skipPermutation(of: count, &bits, work: &work) {
            return (nil, nil)
        }
        bits.alignToByte()
        var length: SaturatingCount = 0
        for _ in 0..<count {
            length += SaturatingCount(bits.value(.bits(10), .bits(14, 1_024), .bits(22, 17_408), .bits(30, 4_211_712)))
        }
        bits.alignToByte()
        return (frame, (SaturatingCount(bits.byteOffset) + length).value)
    }
}

private struct FrameHeader {
    private(set) var kind = JPEGXLFrameWalk.Frame.Kind.regular
    private(set) var size: PixelSize
    private(set) var isLast = true
    private(set) var duration = UInt64(0)
    private(set) var place = UInt64(0)
    private var isModular = false
    private var upsampling = 1
    private var groupSide = 256
    private var passCount = 1

    init(size: PixelSize) { self.size = size }

    var isHidden: Bool { kind == .lowFrequency || kind == .referenceOnly }

    var sectionCount: Int {
        func count(_ side: Int, _ part: Int) -> Int { (side + part - 1) / part }
        let (width, height) = (count(size.width, upsampling), count(size.height, upsampling))
        let groups = SaturatingCount(count(width, groupSide)) * SaturatingCount(count(height, groupSide))
        if groups == 1, passCount == 1 { return 1 }
        let coarse = SaturatingCount(count(width, groupSide * 8)) * SaturatingCount(count(height, groupSide * 8))
        return (coarse + groups * SaturatingCount(passCount) + 2).value
    }

    /// Returns `false` for what no decoder reads.
    mutating func read(_ bits: inout BitReaderFromLowest, image: PixelSize, _ basics: JxlBasicInfo) -> Bool {
        let extraChannelCount = Int(basics.num_extra_channels)
        kind = JPEGXLFrameWalk.Frame.Kind(rawValue: bits.next(2)) ?? .regular
        isModular = bits.next() != 0
        let flags = bits.uint64()
        let usesLowFrequencyFrame = flags & 32 != 0
        let isXYB = basics.uses_original_profile == 0
        let isYCbCr = !isXYB && bits.next() != 0
        if isYCbCr, !usesLowFrequencyFrame { bits.skip(6) }
        if !usesLowFrequencyFrame {
            upsampling = 1 << Int(bits.next(2))
            bits.skip(2 * extraChannelCount)
        }
        if isModular { groupSide = 128 << Int(bits.next(2)) }
        if !isModular, isXYB { bits.skip(6) }
        if kind != .referenceOnly { readPasses(&bits) }
        var isPart = false
        if kind == .lowFrequency {
            let shift = 3 * (1 + Int(bits.next(2)))
            size = PixelSize((size.width - 1) >> shift + 1, (size.height - 1) >> shift + 1)
        } else if bits.next() != 0 {
            isPart = readArea(&bits, image: image)
        }
        guard !size.isEmpty else { return false }
        isLast = false
        var replaces = true
        if !isHidden {
            replaces = readBlending(&bits, extraChannelCount, isPart: isPart)
            for _ in 0..<extraChannelCount { _ = readBlending(&bits, extraChannelCount, isPart: isPart) }
            if basics.have_animation != 0 {
                duration = bits.value(.constant(0), .constant(1), .bits(8), .bits(32))
                if basics.animation.have_timecodes != 0 { bits.skip(32) }
            }
            isLast = bits.next() != 0
        }
        if kind != .lowFrequency, !isLast { place = bits.next(2) }
        let canBeReferenced = !isLast && kind != .lowFrequency && (duration == 0 || place != 0)
        if kind == .referenceOnly || canBeReferenced && replaces && !isPart { bits.skip(1) }
        bits.skip(8 * Int(bits.value(.constant(0), .bits(4), .bits(5, 16), .bits(10, 48))))
        readFilter(&bits)
        bits.skipExtensions()
        return !bits.isBehindEnd
    }

    private mutating func readPasses(_ bits: inout BitReaderFromLowest) {
        passCount = Int(bits.value(.constant(1), .constant(2), .constant(3), .bits(3, 4)))
        guard passCount > 1 else { return }
        let stepCount = Int(bits.value(.constant(0), .constant(1), .constant(2), .bits(1, 3)))
        bits.skip(2 * (passCount - 1) + 2 * stepCount)
        for _ in 0..<stepCount { _ = bits.value(.constant(0), .constant(1), .constant(2), .bits(3)) }
    }

    /// Returns whether the frame leaves out a part of the image.
    private mutating func readArea(_ bits: inout BitReaderFromLowest, image: PixelSize) -> Bool {
        func side(_ bits: inout BitReaderFromLowest) -> Int {
            Int(bits.value(.bits(8), .bits(11, 256), .bits(14, 2_304), .bits(30, 18_688)))
        }
        var origin = (x: 0, y: 0)
        if !isHidden {
            let (x, y) = (side(&bits), side(&bits))
            // The lowest bit is the sign.
            origin = (x & 1 == 0 ? x / 2 : -(x / 2) - 1, y & 1 == 0 ? y / 2 : -(y / 2) - 1)
        }
        let (width, height) = (side(&bits), side(&bits))
        size = PixelSize(width, height)
        return !isHidden
            && (origin.x > 0 || origin.y > 0 || width + origin.x < image.width || height + origin.y < image.height)
    }

    /// Returns whether pixels replace those before.
    private func readBlending(_ bits: inout BitReaderFromLowest, _ extraChannelCount: Int, isPart: Bool) -> Bool {
        let mode = bits.value(.constant(0), .constant(1), .constant(2), .bits(2, 3))
        let usesAlpha = extraChannelCount > 0 && (mode == 2 || mode == 3)
        if usesAlpha { _ = bits.value(.constant(0), .constant(1), .constant(2), .bits(3, 3)) }
        if usesAlpha || mode == 4 { bits.skip(1) }
        if mode != 0 || isPart { bits.skip(2) }
        return mode == 0
    }

    private func readFilter(_ bits: inout BitReaderFromLowest) {
        guard bits.next() == 0 else { return }
        if bits.next() != 0, bits.next() != 0 { bits.skip(6 * 16) }
        if bits.next(2) > 0 {
            if !isModular, bits.next() != 0 { bits.skip(8 * 16) }
            if bits.next() != 0 { bits.skip(5 * 16) }
            if bits.next() != 0 { bits.skip((isModular ? 3 : 4) * 16) }
            if isModular { bits.skip(16) }
        }
        bits.skipExtensions()
    }
}
