internal import HalcyonRaster

/// The content of a file's chunks, and the places of its compressed data; nothing is decompressed.
struct PNGFile {
    let header: PNGHeader
    /// A Boolean value that indicates whether the file has Apple's CgBI layout.
    private(set) var isAppleOptimized = false
    /// Red, green, blue of each entry.
    private(set) var palette: [UInt8] = []
    /// The payload of tRNS.
    private(set) var transparency: [UInt8]?
    private(set) var color = PNGColor()
    private(set) var exif: Range<Int>?
    /// The pieces of the default image.
    private(set) var imageRanges: [Range<Int>] = []
    /// A Boolean value that indicates whether IEND was reached.
    private(set) var isComplete = false
    /// A Boolean value that indicates whether a piece of the default image has a wrong checksum.
    private(set) var hasWrongChecksum = false

    /// The chunks that are walked at most. A real file has one for each few kilobytes, a forged one in 12 bytes.
    private static let greatestChunkCount = 1 << 17
    /// The bytes of chunks that hold no pixels whose checksums are verified at most: that reads them all.
    private static let greatestCheckedByteCount = 16 << 20
    /// The chunks that are read, but need not be understood.
    private static let ancillaryTypes: Set<PNGChunkType> = [
        .transparency, .codePoints, .colorProfile, .standardColor, .gamma, .chromaticities, .exif, .animationControl,
        .frameControl, .frameData,
    ]

    /// A Boolean value that indicates whether the default image is the first frame of the animation.
    private(set) var imageIsFirstFrame = false

    private let toleratesDamage: Bool
    private var animation: PNGAnimation
    private var imageEnded = false
    private var imageBegan = false
    private var checkedByteCount = 0

    /// The frames of the animation, if there is one, as far as they are complete and in order.
    var frames: [PNGFrame] { animation.frames }

    /// A Boolean value that indicates whether ``frames`` are all that the file has, and not only the first of them.
    var hasAllFrames: Bool { !animation.hasMoreFrames }

    /// The number of times that the animation plays; 0 for without end.
    var playCount: Int { animation.playCount }

    /// A Boolean value that indicates whether the file is an animation. One frame that is the default image is a still
    /// image in all but name, but the file says how long it stays.
    var isAnimated: Bool { !frames.isEmpty }

    /// A Boolean value that indicates whether the default image is none of the frames that there are, or that may follow
    /// where the file is only the beginning of one.
    var hasSeparateImage: Bool { imageBegan && !imageIsFirstFrame && animation.mayHaveFrames }

    /// Walks all chunks. An animation is cut behind the greatest number of frames.
    ///
    /// - Parameters:
    ///   - checksImageData: Whether the checksums of the compressed data are verified too, which reads them all.
    ///   - damage: With ``DamageHandling/showsWhatIsThere``, what is wrong behind the beginning of the image data ends
    ///     the file there, and is no error. Default: that.
    init(
        _ bytes: UnsafeRawBufferPointer,
        limits: DecodeLimits,
        checksImageData: Bool,
        damage: DamageHandling = .showsWhatIsThere
    ) throws(CodecError) {
        toleratesDamage = damage == .showsWhatIsThere
        animation = PNGAnimation(maximumFrameCount: max(1, limits.frameCount))
        var reader = try PNGFile.start(bytes)
        var step = try reader.next()
        if case .chunk(let chunk) = step, chunk.type == .appleOptimized {
            isAppleOptimized = true
            step = try reader.next()
        }
        switch step {
        case .chunk(let chunk):
            guard chunk.type == .imageHeader else {
                throw .corrupt(.png, reason: "the first chunk is \(chunk.type), not IHDR")
            }
            guard reader.isIntact(chunk) else {
                throw .corrupt(.png, reason: "IHDR has a wrong checksum")
            }
            header = try PNGHeader(UnsafeRawBufferPointer(rebasing: bytes[chunk.range]))
        case .cutShort(let type, _):
            guard type == nil || type == .imageHeader else {
                throw .corrupt(.png, reason: "the first chunk is not IHDR")
            }
            throw .truncated(.png)
        case .end:
            throw .truncated(.png)
        }
        do {
            try readChunks(&reader, bytes, checksImageData: checksImageData)
        } catch {
            guard toleratesDamage, imageBegan else {
                throw error
            }
        }
        try finish()
    }

    static func start(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> PNGChunkReader {
        let signature = PNGChunkReader.signature
        guard bytes.prefix(signature.count).elementsEqual(signature.prefix(bytes.count)) else {
            throw .corrupt(.png, reason: "the signature is missing")
        }
        guard bytes.count >= signature.count else {
            throw bytes.isEmpty ? .empty : .truncated(.png)
        }
        return PNGChunkReader(bytes)
    }

    /// The next chunk; what stands behind the image and is none ends the file.
    private func nextStep(_ reader: inout PNGChunkReader) throws(CodecError) -> PNGChunkReader.Step {
        do {
            return try reader.next()
        } catch {
            guard imageBegan else {
                throw error
            }
            return .end
        }
    }

    private mutating func readChunks(
        _ reader: inout PNGChunkReader,
        _ bytes: UnsafeRawBufferPointer,
        checksImageData: Bool
    ) throws(CodecError) {
        for count in 0... {
            guard count < Self.greatestChunkCount else {
                guard imageBegan else {
                    throw .corrupt(.png, reason: "more than \(Self.greatestChunkCount) chunks before IDAT")
                }
                return animation.end(hasMoreFrames: true)
            }
            let chunk: PNGChunk
            switch try nextStep(&reader) {
            case .chunk(let next):
                chunk = next
            case .cutShort(let type, let range):
                if type == .imageData, !imageEnded {
                    imageBegan = imageBegan || !toleratesDamage
                    if toleratesDamage { try readImageData(range) }
                }
                return
            case .end:
                return
            }
            imageEnded = imageEnded || (imageBegan && chunk.type.endsImageData)
            guard chunk.type.isCritical || Self.ancillaryTypes.contains(chunk.type) else {
                continue
            }
            guard isIntact(chunk, reader, checksImageData: checksImageData) else {
                // Damaged extras are passed over (PNG, 13.2); a damaged frame ends the animation before it.
                guard chunk.type.isCritical else {
                    animation.end(ifConcernedBy: chunk.type)
                    continue
                }
                guard !toleratesDamage || chunk.type != .imageData else {
                    hasWrongChecksum = true
                    try readImageData(chunk.range)
                    continue
                }
                let offset = chunk.range.lowerBound - 8
                throw .corrupt(.png, reason: "chunk \(chunk.type) at byte \(offset) has a wrong checksum")
            }
            let payload = UnsafeRawBufferPointer(rebasing: bytes[chunk.range])
            if try isLast(chunk, payload) {
                isComplete = true
                return
            }
        }
    }

    /// Returns whether the checksum of a chunk holds, as far as it is to be verified; `false` also for those that have
    /// more bytes than are worth it.
    private mutating func isIntact(_ chunk: PNGChunk, _ reader: PNGChunkReader, checksImageData: Bool) -> Bool {
        switch chunk.type {
        // It has nothing in it that a checksum could protect.
        case .imageEnd: return true
        case .imageData, .frameData: return !checksImageData || reader.isIntact(chunk)
        default:
            checkedByteCount += chunk.range.count
            return checkedByteCount <= Self.greatestCheckedByteCount && reader.isIntact(chunk)
        }
    }

    /// Takes in one chunk; says whether it is the last.
    private mutating func isLast(_ chunk: PNGChunk, _ payload: UnsafeRawBufferPointer) throws(CodecError) -> Bool {
        switch chunk.type {
        case .imageEnd:
            return true
        case .imageData:
            try readImageData(chunk.range)
        case .palette:
            try readPalette(payload)
        case .imageHeader:
            throw .corrupt(.png, reason: "there is a second IHDR")
        case .transparency where !imageBegan && transparency == nil:
            // Alphas of more colours than there are count for nothing, as in libpng and in browsers.
            if header.colorType != .palette || palette.isEmpty || payload.count <= palette.count / 3 {
                transparency = Array(payload.prefix(256))
            }
        case .codePoints, .colorProfile, .standardColor, .gamma, .chromaticities:
            if !imageBegan { color.read(chunk, payload) }
        case .exif where exif == nil:
            exif = chunk.range
        case .animationControl:
            if !imageBegan { animation.readControl(payload) }
        case .frameControl:
            animation.readFrameControl(payload, canvas: header.size, imageBegan: imageBegan)
        case .frameData:
            animation.readFrameData(chunk.range, payload, imageBegan: imageBegan, imageIsFrame: imageIsFirstFrame)
        default:
            if chunk.type.isCritical {
                throw .corrupt(.png, reason: "chunk \(chunk.type) is critical and unknown")
            }
        }
        return false
    }

    private mutating func readImageData(_ range: Range<Int>) throws(CodecError) {
        guard !imageEnded else {
            throw .corrupt(.png, reason: "the IDAT chunks are not consecutive")
        }
        if !imageBegan {
            guard header.colorType != .palette || !palette.isEmpty else {
                throw .corrupt(.png, reason: "PLTE is missing before IDAT")
            }
            imageBegan = true
            // Only a frame control before the image makes the image a frame.
            imageIsFirstFrame = !animation.frames.isEmpty
        }
        imageRanges.append(range)
        if imageIsFirstFrame {
            animation.addImageData(range)
        }
    }

    private mutating func readPalette(_ payload: UnsafeRawBufferPointer) throws(CodecError) {
        // In true colour it only suggests one to screens that have few colours, and libpng passes over one that is wrong.
        guard header.colorType == .palette else {
            return
        }
        guard !imageBegan, palette.isEmpty else {
            throw .corrupt(.png, reason: "PLTE comes twice or after IDAT")
        }
        guard !payload.isEmpty, payload.count.isMultiple(of: 3), payload.count <= 768 else {
            throw .corrupt(.png, reason: "PLTE has \(payload.count) bytes")
        }
        palette = Array(payload)
    }

    private mutating func finish() throws(CodecError) {
        guard imageBegan else {
            throw isComplete ? .corrupt(.png, reason: "there is no IDAT") : .truncated(.png)
        }
        animation.finish()
    }
}
