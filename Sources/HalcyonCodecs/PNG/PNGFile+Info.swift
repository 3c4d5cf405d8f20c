internal import FoundationEssentials
internal import HalcyonRaster

extension PNGFile {
    /// What pictures of this file are decoded to.
    func depth(for options: DecodeOptions) -> SampleDepth {
        options.keepsSixteenBits && header.bitDepth == 16 ? .sixteen : .eight
    }

    /// What the file says, in the words all formats share.
    func info(in bytes: UnsafeRawBufferPointer) -> ImageInfo {
        info(in: bytes, colorSpace: color(in: bytes).space)
    }

    /// The same where the colour space is known already: finding it decompresses the profile.
    func info(in bytes: UnsafeRawBufferPointer, colorSpace: ColorSpace) -> ImageInfo {
        var info = ImageInfo(format: .png, size: header.size)
        info.bitDepth = header.bitDepth
        info.hasAlpha = header.colorType.hasAlpha || transparency != nil
        info.colorSpace = colorSpace
        if let exif {
            info.orientation = EXIF.orientation(in: Data(bytes[exif])) ?? .up
        }
        if isAnimated {
            info.frameCount = frames.count
            info.frameDurations = frames.map(\.duration)
            info.loopCount = playCount
        }
        return info
    }
}
