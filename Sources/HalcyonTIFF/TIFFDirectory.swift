internal import FoundationEssentials
internal import HalcyonCodecs
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
    /// A Boolean value that indicates whether the page is a smaller version of another one, and not of its mask.
    let isReduced: Bool
    let iccProfile: Data?
    /// The sample that stands for no data, which is text in GDAL's tag; 0 where there is none.
    private let valueOfNoData: Double
    /// The number of strips or tiles that have a place.
    private let placeCount: Int
    /// The size of a tile, or of a strip of all columns.
    private let segmentSize: PixelSize
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
        isReduced = (entries.value(.subfileType) ?? 0) & 5 == 1
        iccProfile = entries.bytes(.iccProfile, maximumCount: ICCProfile.maximumByteCount)
        let text = entries.bytes(.valueOfNoData, maximumCount: 64)?.prefix { $0 > UInt8(ascii: " ") }
        valueOfNoData = text.flatMap { Double(String(decoding: $0, as: UTF8.self)) } ?? 0
        if let tileWidth = entries.value(.tileWidth), let tileLength = entries.value(.tileLength) {
            segmentSize = PixelSize(max(1, tileWidth), max(1, tileLength))
            placeCount = entries.count(of: .tileOffsets)
        } else {
            segmentSize = PixelSize(width, max(1, entries.value(.rowsPerStrip) ?? height))
            placeCount = entries.count(of: .stripOffsets)
        }
        subdirectories = entries.values(.subdirectories, maximumCount: 16)
    }
}

extension TIFFDirectory {
    var alpha: TIFFAlpha? {
        TIFFAlpha(photometric: photometric, samplesPerPixel: samplesPerPixel, extraSamples: extraSamples)
    }

    /// The profile of the pixels handed out, or `nil` for sRGB.
    var colorProfile: ColorProfile? {
        switch photometric {
        case .gray: ColorProfile(embedded: iccProfile, isGray: true)
        case .rgb, .palette, .yCbCr: ColorProfile(embedded: iccProfile)
        case .separated, .lab, .logLuv, .unknown: nil
        }
    }

    /// The profile of four inks, if there is one.
    var inkProfile: Data? {
        guard photometric == .separated, let iccProfile, ICCProfile.isProfile(iccProfile, for: .inks) else {
            return nil
        }
        return iccProfile
    }

    /// The samples of strips and tiles that a sparse file leaves out; `nil` where there is no place for each, so that those
    /// without one are missing.
    var leftOutValue: Double? { placeCount >= planeSegmentCount ? valueOfNoData : nil }

    /// The strips or tiles of the page.
    var segmentCount: Int {
        let (count, overflows) = planeSegmentCount.multipliedReportingOverflow(by: max(1, samplesPerPixel))
        return overflows ? .max / 16 : min(count, .max / 16)
    }

    /// The strips or tiles of a plane.
    private var planeSegmentCount: Int {
        let (columns, rows) = ((size.width - 1) / segmentSize.width + 1, (size.height - 1) / segmentSize.height + 1)
        let (product, overflows) = columns.multipliedReportingOverflow(by: rows)
        return overflows ? .max : product
    }

    /// Returns the description of this page in a file of `frameCount` pages, or of at least so many.
    func info(frameCount: Int, isExact: Bool) -> ImageInfo {
        var info = ImageInfo(
            format: .tiff,
            size: size,
            orientation: orientation,
            frameCount: frameCount,
            bitDepth: max(1, min(bitsPerSample, 64)),
            hasAlpha: alpha != nil,
            colorSpace: iccProfile.flatMap(ICCProfile.colorSpace(of:)) ?? photometric.colorSpace
        )
        info.isFrameCountExact = isExact
        return info
    }
}
