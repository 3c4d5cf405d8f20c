internal import CAVIFShim
internal import FoundationEssentials
internal import HalcyonRaster

extension AVIFReader {
    /// The description in the header.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    func info() throws(CodecError) -> ImageInfo {
        let frameCount = max(1, Int(decoder.pointee.imageCount))
        let isAnimated = frameCount > 1
        var info = ImageInfo(
            format: .avif,
            size: shownSize,
            orientation: orientation,
            frameCount: frameCount,
            frameDurations: isAnimated ? durations(ofFrames: frameCount) : [],
            loopCount: isAnimated ? container.track?.loopCount ?? 0 : nil,
            bitDepth: Int(decoder.pointee.image.pointee.depth),
            hasAlpha: hasAlpha,
            colorSpace: try colorSpace()
        )
        info.isFrameCountExact = !container.hasMoreFrames
        // Red, green and blue as they are: encoders write them where nothing is to be lost, and else never.
        info.file.isLossless =
            Int(decoder.pointee.image.pointee.matrixCoefficients) == Int(AVIF_MATRIX_COEFFICIENTS_IDENTITY)
        return info
    }

    /// A Boolean value that indicates whether the image has alpha, in whatever way the file stores it.
    var hasAlpha: Bool { decoder.pointee.alphaPresent != AVIF_FALSE || container.alpha != nil }

    /// `irot` turns counter-clockwise by quarters, then `imir` mirrors: 0 top to bottom, 1 left to right (ISO/IEC
    /// 23008-12, 6.5.10 and 6.5.12). EXIF orientation does not count in AVIF (MIAF, 7.3.6.7).
    var orientation: Orientation {
        let (pointer, image) = (decoder.pointee.image, decoder.pointee.image.pointee)
        let isTurned = image.transformFlags & AVIF_TRANSFORM_IROT.rawValue != 0
        let isMirrored = image.transformFlags & AVIF_TRANSFORM_IMIR.rawValue != 0
        return Orientation(
            quartersCounterClockwise: isTurned ? Int(image.irot.angle) : 0,
            mirroring: isMirrored
                ? (halcyon_avif_is_mirrored_left_to_right(pointer) ? .leftToRight : .topToBottom) : nil
        )
    }

    /// The profile embedded, or else the code points; `nil` for sRGB, and where the file does not say.
    func colorProfile() throws(CodecError) -> ColorProfile? {
        let image = decoder.pointee.image.pointee
        if let profile = try Data.written(image.icc), ICCProfile.isProfile(profile, for: isGray ? .gray : .rgb) {
            return ColorProfile(embedded: profile, isGray: isGray)
        }
        return ColorProfile(
            primaries: Int(image.colorPrimaries),
            transfer: Int(image.transferCharacteristics)
        )
    }

    /// EXIF, XMP and ICC profile, of a reader opened for them.
    func metadata() throws(CodecError) -> ImageMetadata {
        let image = decoder.pointee.image.pointee
        return ImageMetadata(
            exif: try .written(copying: Data.written(image.exif).map(EXIF.tiff)),
            xmp: try .written(image.xmp),
            iccProfile: try .written(image.icc)
        )
    }

    private func colorSpace() throws(CodecError) -> ColorSpace {
        try ColorSpace(colorProfile()) ?? (isGray ? .gray : .sRGB)
    }

    private var isGray: Bool { decoder.pointee.image.pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV400 }

    private func durations(ofFrames frameCount: Int) -> [Int] {
        container.track?.durations(
            frameCount: frameCount,
            ticksPerSecond: Int(clamping: decoder.pointee.timescale)
        ) ?? [Int](repeating: 0, count: frameCount)
    }
}

extension Data {
    /// A copy of libavif's bytes, or `nil` where there are none.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    fileprivate static func written(_ bytes: avifRWData) throws(CodecError) -> Data? {
        guard let start = bytes.data, bytes.size > 0 else { return nil }
        return try written(start, count: bytes.size)
    }
}
