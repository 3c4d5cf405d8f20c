internal import FoundationEssentials
internal import HalcyonRaster

extension PNGFile {
    /// Returns the depth of the bitmaps that images of this file are decoded to.
    func depth(for options: DecodeOptions) -> SampleDepth {
        options.keepsSixteenBits && header.bitDepth == 16 ? .sixteen : .eight
    }

    /// Returns whether the image asked for is a frame of the animation that the default image is not.
    func composesFrame(for options: DecodeOptions) -> Bool {
        options.frame > 0 || options.readsAnimation && isAnimated && !imageIsFirstFrame
    }

    /// Returns the description of the file, in the terms that all formats share.
    func info(in bytes: UnsafeRawBufferPointer) throws(CodecError) -> ImageInfo {
        info(in: bytes, colorSpace: try color(in: bytes).space)
    }

    /// The same where the colour space is known already: finding it decompresses the profile.
    func info(in bytes: UnsafeRawBufferPointer, colorSpace: ColorSpace) -> ImageInfo {
        var info = ImageInfo(format: .png, size: header.size)
        info.bitDepth = header.bitDepth
        info.hasAlpha = header.colorType.hasAlpha || transparency != nil
        info.colorSpace = colorSpace
        if let exif {
            let block = Data(borrowing: UnsafeRawBufferPointer(rebasing: bytes[exif]))
            info.orientation = EXIF.orientation(in: block) ?? .up
        }
        if isAnimated {
            info.frameCount = frames.count
            info.frameDurations = frames.map(\.duration)
            info.loopCount = playCount
            info.isFrameCountExact = hasAllFrames
            if hasAllFrames { info.file.hasEnd = isComplete }
        }
        return info
    }
}
