package import FoundationEssentials
internal import HalcyonRaster

/// The content of a file's blocks, and the places of its compressed data; nothing is decompressed.
struct GIFFile {
    static let signatures: [[UInt8]] = [Array("GIF87a".utf8), Array("GIF89a".utf8)]

    /// The logical screen, made larger where the first image needs more, as browsers do.
    private(set) var canvas: PixelSize
    private(set) var globalPalette: Range<Int>?
    /// The images; the first may be cut short, the others are complete.
    private(set) var frames: [GIFFrame] = []
    /// A Boolean value that indicates whether ``frames`` are all that the file has, and not only the first of them.
    private(set) var hasAllFrames = true
    /// A Boolean value that indicates whether the end of the file was reached, and not only that of its bytes.
    private(set) var hasEnd = false
    /// Whether the bytes end within a block behind the first image: an animation of which one frame is there.
    private var isCutBehindFirst = false
    /// The number of times that the animation plays, 0 for without end; `nil` where the file does not say.
    private(set) var loopCount: Int?
    private(set) var hasTransparency = false

    /// Walks all blocks, up to the greatest number of frames, behind which an animation is cut.
    init(_ bytes: UnsafeRawBufferPointer, limits: DecodeLimits) throws(CodecError) {
        guard !bytes.isEmpty else {
            throw .empty
        }
        guard GIFFile.signatures.contains(where: { bytes.prefix(6).elementsEqual($0.prefix(bytes.count)) }) else {
            throw .corrupt(.gif, reason: "the signature is missing")
        }
        var reader = GIFReader(bytes, offset: 6)
        guard let width = reader.number(), let height = reader.number(), let flags = reader.byte(),
            reader.byte() != nil, reader.byte() != nil
        else {
            throw .truncated(.gif)
        }
        canvas = PixelSize(width, height)
        if flags & 0x80 != 0 {
            guard let palette = reader.range(count: 3 * (2 << Int(flags & 7))) else {
                throw .truncated(.gif)
            }
            globalPalette = palette
        }
        let isCutShort = readBlocks(&reader, bytes, limits)
        hasEnd = !isCutShort
        guard let first = frames.first else {
            throw isCutShort ? .truncated(.gif) : .corrupt(.gif, reason: "there is no image")
        }
        canvas.width = max(canvas.width, first.left + first.size.width)
        canvas.height = max(canvas.height, first.top + first.size.height)
        guard !canvas.isEmpty else {
            throw .corrupt(.gif, reason: "the image has a size of \(canvas)")
        }
    }

    /// Reads blocks up to the trailer, or as far as the bytes go; says whether they end too early.
    private mutating func readBlocks(
        _ reader: inout GIFReader,
        _ bytes: UnsafeRawBufferPointer,
        _ limits: DecodeLimits
    ) -> Bool {
        var control = GIFFrame.Control()
        while let introducer = reader.byte() {
            reader.countBlock()
            guard !reader.hasTooManyBlocks else {
                break
            }
            switch introducer {
            case 0x21:
                guard readExtension(&reader, bytes, &control) else {
                    isCutBehindFirst = !frames.isEmpty
                    return true
                }
            case 0x2C:
                guard frames.count < max(1, limits.frameCount) else {
                    hasAllFrames = false
                    return false
                }
                guard let frame = GIFFrame(&reader, control: control), frames.isEmpty || !frame.isCutShort else {
                    hasAllFrames = !reader.hasTooManyBlocks
                    isCutBehindFirst = !frames.isEmpty
                    return true
                }
                hasTransparency = hasTransparency || control.transparentIndex != nil || leavesGap(frame)
                frames.append(frame)
                control = GIFFrame.Control()
            case 0x00:
                // Some encoders write one empty sub-block too many.
                continue
            case 0x3B:
                return false
            default:
                // Nothing behind an unknown block can be found, but what came before it can be shown.
                return false
            }
        }
        hasAllFrames = !reader.hasTooManyBlocks
        return true
    }

    /// Returns whether a frame lies on a canvas that is clear elsewhere, as in browsers: no frame has covered that, or the one
    /// before has cleared what it covered.
    private func leavesGap(_ frame: GIFFrame) -> Bool {
        let whole = PixelRect(size: canvas)
        guard let last = frames.last else { return !frame.covers(whole) }
        return switch last.control.disposal {
        case .keep: false
        case .clear: !frame.covers(last.area)
        case .restore: frames.count == 1 && !frame.covers(whole)
        }
    }

    /// Reads an extension (GIF89a, 23 to 26); says whether it is complete.
    private mutating func readExtension(
        _ reader: inout GIFReader,
        _ bytes: UnsafeRawBufferPointer,
        _ control: inout GIFFrame.Control
    ) -> Bool {
        guard let label = reader.byte(), let block = reader.subBlock() else {
            return false
        }
        guard !block.isEmpty else {
            return true
        }
        switch label {
        case 0xF9 where block.count >= 4:
            let flags = bytes[block.lowerBound]
            control.disposal = FrameDescription.Disposal(gif: flags >> 2 & 7)
            control.delay = Int(bytes[block.lowerBound + 1]) | Int(bytes[block.lowerBound + 2]) << 8
            control.transparentIndex = flags & 1 == 1 ? bytes[block.lowerBound + 3] : nil
        case 0x01:
            // A graphic control holds for a text as well; browsers draw none.
            control = GIFFrame.Control()
        case 0xFF where GIFFile.isLooping(UnsafeRawBufferPointer(rebasing: bytes[block])):
            guard let count = reader.subBlock() else {
                return false
            }
            if count.isEmpty {
                return true
            }
            if count.count >= 3, bytes[count.lowerBound] & 7 == 1 {
                // The number of repetitions, which follow the first time, as browsers have it.
                let repetitions = Int(bytes[count.lowerBound + 1]) | Int(bytes[count.lowerBound + 2]) << 8
                loopCount = repetitions == 0 ? 0 : repetitions + 1
            }
        default:
            break
        }
        return reader.skipSubBlocks()
    }

    private static func isLooping(_ name: UnsafeRawBufferPointer) -> Bool {
        name.elementsEqual("NETSCAPE2.0".utf8) || name.elementsEqual("ANIMEXTS1.0".utf8)
    }

    /// The description of the file, in the terms that all formats share.
    var info: ImageInfo {
        var info = ImageInfo(format: .gif, size: canvas, hasAlpha: hasTransparency)
        if frames.count > 1 {
            info.frameCount = frames.count
            info.frameDurations = frames.map(\.duration)
            info.loopCount = loopCount ?? 1
        }
        if hasAllFrames, frames.count > 1 || isCutBehindFirst { info.file.hasEnd = hasEnd }
        info.isFrameCountExact = hasAllFrames
        return info
    }
}

extension GIFDecoder {
    /// Returns whether a file goes to its end; `nil` where that is behind what is walked of the blocks, or there is no
    /// image. Nothing is decompressed.
    package static func hasEnd(_ data: Data) -> Bool? {
        data.withUnsafeBytes { bytes in
            let file = try? GIFFile(bytes, limits: DecodeLimits())
            return file.flatMap { $0.hasAllFrames ? $0.hasEnd : nil }
        }
    }
}
