internal import CJPEGXLShim
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// The header of a JPEG XL file, which comes before its pixels (ISO/IEC 18181-1 annexes D and E).
struct JPEGXLHeader {
    private(set) var basics = JxlBasicInfo()
    private(set) var colorSpace = ColorSpace.sRGB
    /// The profile of the colours as they were encoded; libjxl makes one where the file holds none.
    private(set) var iccProfile: Data?
    /// The number of the extra channel with the black of four inks; `nil` for other colours.
    private(set) var blackChannel: Int?
    /// Milliseconds of each frame; empty for a still image.
    private(set) var frameDurations: [Int] = []
    /// A Boolean value that indicates whether the headers of all frames that are drawn for one image have been read.
    private(set) var hasWholeImage = false
    private var hasColorSpace = false
    /// A Boolean value that indicates whether the bytes end before the last frame begins.
    private var isCutShort = false
    /// A Boolean value that indicates whether the samples are those of a JPEG file.
    private let isRepackedJPEG: Bool
    /// A Boolean value that indicates whether there are no more frames than those of ``frameDurations``.
    private(set) var isFrameCountExact = true
    /// Frames whose headers have been read, also those of no duration, on which others are drawn.
    private var walkedFrameCount = 0

    /// The pixels of the frames since the last one that is shown: they are drawn on each other.
    private var layerPixelCount: SaturatingCount = 0

    /// The memory for frames that are never shown, in bytes of a channel.
    private var hiddenByteCount: SaturatingCount = 0

    /// The frames whose headers are read at most: the work of some 50 ms.
    private static let greatestWalkedFrameCount = 16_384

    /// The frames whose headers are read.
    enum Frames {
        case none
        /// Those of an animation.
        case shown
        /// All that are drawn, also those of a still image. As one takes 20 bytes, whatever its size, those that are
        /// drawn for one image may have this many pixels together, or those of one.
        case drawn(maximumPixelCount: Int)
    }

    /// Reads the header, and the headers of frames, as far as there are bytes. Frames beyond the greatest number are left
    /// out.
    ///
    /// - Throws: ``CodecError/unsupported(_:reason:)`` where an image is made of too many frames.
    init(_ data: Data, maximumFrameCount: Int, frames: Frames = .shown) throws(CodecError) {
        let events = [JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING, JXL_DEC_FRAME]
        isRepackedJPEG = JPEGXLContainer.isRepackedJPEG(data)
        let stream = try JPEGXLStream(data, events: events, composesFrames: false)
        do {
            try read(stream, maximumFrameCount: maximumFrameCount, frames: frames)
        } catch let error as CodecError {
            // Frames that can be seen count, as long as the image itself is described.
            guard error == .truncated(.jxl), !frameDurations.isEmpty || !isAnimated && hasColorSpace else {
                throw error
            }
            isCutShort = true
        } catch {
            throw .corrupt(.jxl, reason: "\(error)")
        }
    }

    private mutating func read(_ stream: JPEGXLStream, maximumFrameCount: Int, frames: Frames) throws {
        while let status = try stream.next(isCancelled: { false }) {
            switch status {
            case JXL_DEC_BASIC_INFO:
                guard libjxl.JxlDecoderGetBasicInfo(stream.decoder, &basics) == JXL_DEC_SUCCESS, !size.isEmpty else {
                    throw CodecError.corrupt(.jxl, reason: "its header")
                }
                blackChannel =
                    isGray
                    ? nil
                    : (0..<Int(basics.num_extra_channels)).first { index in
                        var channel = JxlExtraChannelInfo()
                        return libjxl.JxlDecoderGetExtraChannelInfo(stream.decoder, index, &channel) == JXL_DEC_SUCCESS
                            && channel.type == JXL_CHANNEL_BLACK
                    }
            case JXL_DEC_COLOR_ENCODING:
                colorSpace = blackChannel == nil ? try JPEGXLColor.space(of: stream.decoder, isGray: isGray) : .cmyk
                hasColorSpace = true
                switch frames {
                case .none:
                    iccProfile = try JPEGXLColor.originalProfile(of: stream.decoder)
                    return
                case .shown where !isAnimated: return
                case .shown: try measureFrames(of: stream, checksPixels: false)
                case .drawn: try measureFrames(of: stream, checksPixels: true)
                }
            case JXL_DEC_FRAME:
                var frame = JxlFrameHeader()
                guard libjxl.JxlDecoderGetFrameHeader(stream.decoder, &frame) == JXL_DEC_SUCCESS else {
                    throw CodecError.corrupt(.jxl, reason: "the header of frame \(frameDurations.count)")
                }
                walkedFrameCount += 1
                let isShown = frame.duration > 0 || frame.is_last != 0
                if case .drawn(let maximum) = frames {
                    try check(frame, maximumPixelCount: maximum, isShown: isShown)
                    hasWholeImage = isShown
                    guard isAnimated || isShown else { continue }
                    if !isAnimated { return }
                }
                guard frameDurations.count < max(1, maximumFrameCount) || !isShown,
                    walkedFrameCount <= Self.greatestWalkedFrameCount
                else {
                    isFrameCountExact = false
                    return
                }
                guard isShown else {
                    continue
                }
                frameDurations.append(milliseconds(frame.duration))
                if frame.is_last != 0 {
                    return
                }
            default:
                break
            }
        }
        guard basics.xsize > 0, !isAnimated || !frameDurations.isEmpty else {
            throw CodecError.truncated(.jxl)
        }
    }

    /// Looks at all frames, also those that libjxl does not tell of.
    ///
    /// - Throws: ``CodecError/unsupported(_:reason:)`` where those that are never shown have more pixels than an encoder
    ///   makes of an image: it takes pixels from one of them, and from one of an eighth of each side.
    private mutating func measureFrames(of stream: JPEGXLStream, checksPixels: Bool) throws(CodecError) {
        var frames = stream.frames(basics)
        var (frameCount, showsAny) = (0, false)
        var pixelCount: SaturatingCount = 0
        var largest: SaturatingCount = 0
        var kept = [SaturatingCount](repeating: 0, count: 4)
        while let frame = frames.next() {
            frameCount += 1
            guard frameCount <= Self.greatestWalkedFrameCount else { break }
            guard frame.isHidden else {
                if frame.isShown { (pixelCount, showsAny) = (0, true) }
                continue
            }
            pixelCount += frame.size.pixelCount
            guard !checksPixels || pixelCount <= max(size.pixelCount * 2, Self.freeHiddenPixelCount) else {
                throw Self.tooManyFrames
            }
            largest = max(largest, frame.size.pixelCount)
            if let place = frame.place { kept[place] = max(kept[place], frame.size.pixelCount) }
        }
        hiddenByteCount = largest * 8 + kept.reduce(0, +) * 4
        let isTooMany = frames.isExhausted || frameCount > Self.greatestWalkedFrameCount
        guard isTooMany || frames.isUnreadable else { return }
        guard isAnimated, showsAny else {
            throw isTooMany ? Self.tooManyFrames : .corrupt(.jxl, reason: "the header of frame \(frameCount)")
        }
        isFrameCountExact = false
        stream.cut(toByteCount: frames.offset)
    }

    /// The pixels that frames which are never shown may have beside an image of any size: the work of some 0.3 s.
    private static let freeHiddenPixelCount: SaturatingCount = 4_194_304
    private static let tooManyFrames = CodecError.unsupported(
        .jxl,
        reason: "more frames are drawn on each other than images have"
    )

    private mutating func check(_ frame: JxlFrameHeader, maximumPixelCount: Int, isShown: Bool) throws(CodecError) {
        layerPixelCount += SaturatingCount(frame.layer_info.xsize) * SaturatingCount(frame.layer_info.ysize)
        guard layerPixelCount <= max(SaturatingCount(maximumPixelCount), size.pixelCount),
            isAnimated || walkedFrameCount <= Self.greatestWalkedFrameCount
        else {
            throw Self.tooManyFrames
        }
        if isShown { layerPixelCount = 0 }
    }

    private func milliseconds(_ ticks: UInt32) -> Int {
        let animation = basics.animation
        guard animation.tps_numerator > 0 else {
            return 0
        }
        let seconds = Double(ticks) * Double(animation.tps_denominator) / Double(animation.tps_numerator)
        // As in AVIF, 24 days: a file may state 140,000 years.
        return Int(min(seconds * 1_000, Double(Int32.max)).rounded())
    }
}

extension JPEGXLHeader {
    /// As stored, before ``orientation`` is applied.
    var size: PixelSize { PixelSize(Int(basics.xsize), Int(basics.ysize)) }
    var orientation: Orientation { Orientation(rawValue: Int(basics.orientation.rawValue)) ?? .up }
    var isGray: Bool { basics.num_color_channels == 1 }
    var isAnimated: Bool { basics.have_animation != 0 }
    var hasAlpha: Bool { basics.alpha_bits > 0 }
    var frameCount: Int { max(1, frameDurations.count) }

    /// Returns the depth of the bitmaps that images of this file are decoded to.
    func depth(for options: DecodeOptions) -> SampleDepth {
        options.keepsSixteenBits && basics.bits_per_sample > 8 && blackChannel == nil ? .sixteen : .eight
    }

    /// The bytes that libjxl takes besides the bitmap: it works on samples of 32 bits, and keeps frames that others
    /// refer to, of whatever size.
    var workingByteCount: Int {
        // Black is kept beside them, too.
        let channelCount =
            Int(basics.num_color_channels) + Int(basics.num_extra_channels) + (blackChannel == nil ? 0 : 1)
        let plane = size.pixelCount * (isAnimated ? 8 : 4) + hiddenByteCount
        return (plane * SaturatingCount(channelCount)).value
    }

    var info: ImageInfo {
        var info = ImageInfo(
            format: .jxl,
            size: size,
            orientation: orientation,
            frameCount: frameCount,
            frameDurations: frameDurations,
            loopCount: isAnimated ? Int(basics.animation.num_loops) : nil,
            bitDepth: Int(basics.bits_per_sample),
            hasAlpha: hasAlpha,
            colorSpace: colorSpace
        )
        info.isFrameCountExact = isFrameCountExact
        if isAnimated, isFrameCountExact { info.file.hasEnd = !isCutShort }
        // With loss, colours are in the space that it is measured in.
        info.file.isLossless = basics.uses_original_profile != 0 && !isRepackedJPEG
        return info
    }
}
