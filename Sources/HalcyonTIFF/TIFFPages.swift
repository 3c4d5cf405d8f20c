internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// The pages of a file, whose places are looked up once: walking the chain for each page anew takes a time that grows
/// with the square of their number.
struct TIFFPages: FrameCursor {
    private let data: Data
    private let file: TIFFFile
    private let options: DecodeOptions
    private let chain: TIFFFile.Chain
    /// The places of the directories of the pages.
    private let offsets: [Int]
    private(set) var colorProfile: ColorProfile?
    private(set) var frameInfo: ImageInfo?
    private(set) var isPartial = false

    init(_ data: Data, options: DecodeOptions) throws(CodecError) {
        self.data = data
        self.options = options
        file = try TIFFFile(data)
        chain = try file.chain(maximumCount: options.limits.frameCount)
        offsets = chain.pages
    }

    mutating func bitmap(ofFrame index: Int, isCancelled: @Sendable () -> Bool) throws -> Bitmap {
        let image = try image(ofPage: index, isCancelled: isCancelled)
        (colorProfile, frameInfo, isPartial) = (image.colorProfile, image.info, image.isPartial)
        return image.bitmap
    }

    func image(ofPage index: Int, isCancelled: () -> Bool) throws -> DecodedImage {
        guard offsets.indices.contains(index) else {
            throw CodecError.noSuchFrame(index, frameCount: offsets.count)
        }
        let directory = try TIFFDirectory(file, at: offsets[index])
        var source = (place: offsets[index], directory: directory)
        if options.usesEmbeddedThumbnail {
            let reduced = file.reducedPage(of: directory, at: source.place, in: chain, target: options.targetSize)
            source = reduced ?? source
        }
        let (bitmap, isPartial) = try bitmap(
            of: source.directory,
            at: source.place,
            inkProfile: source.directory.inkProfile ?? directory.inkProfile,
            orientation: options.appliedOrientation(of: directory.orientation),
            isCancelled: isCancelled
        )
        return DecodedImage(
            bitmap: bitmap,
            info: directory.info(frameCount: offsets.count, isExact: chain.isWhole),
            options: options,
            colorProfile: source.directory.colorProfile ?? directory.colorProfile,
            isPartial: isPartial
        )
    }

    private func bitmap(
        of directory: TIFFDirectory,
        at offset: Int,
        inkProfile: Data?,
        orientation: Orientation,
        isCancelled: () -> Bool
    ) throws -> (Bitmap, isPartial: Bool) {
        let limits = options.limits
        try limits.check(directory.size, of: .tiff)
        let byteCount = directory.size.bitmapByteCount
        let orientedByteCount = orientation == .up ? 0 : byteCount
        try limits.checkMemory(byteCount, orientedByteCount, of: .tiff)
        // libtiff keeps a place and a length for each strip or tile.
        try limits.checkMemory(byteCount, orientedByteCount, directory.segmentCount * 16, of: .tiff)
        let inks = options.convertsInks ? inkProfile : nil
        let (bitmap, isPartial) = try data.withUnsafeBytes { bytes in
            func open(padding: Int) throws(CodecError) -> TIFFPageReader {
                try TIFFPageReader(
                    bytes,
                    directory: offset,
                    leftOutValue: directory.leftOutValue,
                    memoryLimit: limits.memory,
                    padding: padding
                )
            }
            var page = try open(padding: 0)
            let missing = options.damage == .showsWhatIsThere ? page.missingByteCount : 0
            if missing > 0, missing <= byteCount * 16 { page = try open(padding: missing) }
            guard page.size == directory.size else {
                // The limits were checked for the size in the header.
                throw CodecError.corrupt(.tiff, reason: "two sizes in one page: \(page.size) and \(directory.size)")
            }
            let image = try TIFFImage(page, of: directory, inkProfile: inks, options: options)
            // Passed the check above, so that the products do not overflow.
            let scale = image.depth.bytesPerPixel / SampleDepth.eight.bytesPerPixel
            let working = max(orientedByteCount * scale, image.workingByteCount)
            try limits.checkMemory(byteCount * scale, working, of: .tiff)
            return try image.bitmap(isCancelled: isCancelled)
        }
        return (try bitmap.upright(orientation), isPartial)
    }
}
