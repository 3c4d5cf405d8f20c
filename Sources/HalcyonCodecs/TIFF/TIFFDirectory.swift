#if TIFF
internal import FoundationEssentials
internal import HalcyonRaster

/// The header of a page, as far as it is needed before libtiff reads it (TIFF 6.0 section 8).
///
/// Read here, because libtiff refuses a directory whose tables lie beyond the end of the bytes at hand, and so could
/// not tell the size of an image from its beginning.
struct TIFFDirectory {
    let size: PixelSize
    let orientation: Orientation
    let bitsPerSample: Int
    let samplesPerPixel: Int
    let photometric: TIFFPhotometric
    /// The meaning of each sample beyond the colours: 0 unknown, 1 alpha whose colours are premultiplied, 2 straight.
    let extraSamples: [Int]
    /// A Boolean value that indicates whether the page is a smaller version of another one.
    let isReduced: Bool
    let iccProfile: Data?
    /// Places of further directories that belong to this page.
    let subdirectories: [Int]

    init(_ file: TIFFFile, at offset: Int) throws(CodecError) {
        guard let entries = TIFFEntries(file, at: offset) else {
            throw .truncated(.tiff)
        }
        guard let width = entries.value(.imageWidth), let height = entries.value(.imageLength) else {
            throw .corrupt(.tiff, reason: "a directory without the size of the image")
        }
        guard width > 0, height > 0 else {
            throw .corrupt(.tiff, reason: "an image of \(width)×\(height) pixels")
        }
        size = PixelSize(width, height)
        orientation = entries.value(.orientation).flatMap(Orientation.init(rawValue:)) ?? .up
        bitsPerSample = entries.value(.bitsPerSample) ?? 1
        samplesPerPixel = entries.value(.samplesPerPixel) ?? 1
        photometric = TIFFPhotometric(
            tag: entries.value(.photometric),
            compression: entries.value(.compression) ?? 1,
            samplesPerPixel: samplesPerPixel
        )
        extraSamples = entries.values(.extraSamples, maximumCount: 16)
        isReduced = (entries.value(.subfileType) ?? 0) & 1 == 1
        iccProfile = entries.bytes(.iccProfile, maximumCount: 4 << 20)
        subdirectories = entries.values(.subdirectories, maximumCount: 16)
    }
}

extension TIFFDirectory {
    var alpha: TIFFAlpha? {
        TIFFAlpha(photometric: photometric, samplesPerPixel: samplesPerPixel, extraSamples: extraSamples)
    }

    /// The profile of the pixels handed out, which are RGB; one for CMYK or grey says nothing about them.
    var colorProfile: ColorProfile? {
        guard let iccProfile, ByteReader(iccProfile).hasText("RGB ", at: 16),
            let space = ICCProfile.colorSpace(of: iccProfile), space != .sRGB
        else {
            return nil
        }
        return .icc(iccProfile)
    }

    /// Returns the description of this page in a file of `frameCount` pages.
    func info(frameCount: Int) -> ImageInfo {
        ImageInfo(
            format: .tiff,
            size: size,
            orientation: orientation,
            frameCount: frameCount,
            bitDepth: bitsPerSample,
            hasAlpha: alpha != nil,
            colorSpace: iccProfile.flatMap(ICCProfile.colorSpace(of:)) ?? photometric.colorSpace
        )
    }
}
#endif
