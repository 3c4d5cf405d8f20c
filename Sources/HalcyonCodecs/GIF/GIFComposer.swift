internal import HalcyonRaster

/// Composes the frames of a file, as browsers do: what no frame covers is transparent, and so is what a frame leaves
/// when it is disposed of "to background".
struct GIFComposer {
    let file: GIFFile
    private let limits: DecodeLimits
    private let canvasCount: Int
    private let lzw: GIFLZWDecoder
    private var canvas: AnimationCanvas
    private var dependencies: FrameDependencies
    /// The number of the frame that comes next.
    private(set) var nextFrame = 0

    /// A composer that stands before the first frame.
    ///
    /// - Parameters:
    ///   - file: The frames.
    ///   - limits: Checked for each frame before it is decompressed.
    ///   - canvasCount: The bitmaps of the canvas's size that exist at a time.
    init(_ file: GIFFile, limits: DecodeLimits = .standard, canvasCount: Int = 1) throws {
        self.file = file
        self.limits = limits
        self.canvasCount = canvasCount
        try limits.check(file.canvas, of: .gif)
        lzw = try GIFLZWDecoder()
        canvas = AnimationCanvas(size: file.canvas)
        dependencies = FrameDependencies(
            file.frames.map { frame in
                FrameDependencies.Frame(
                    coversCanvas: file.area(of: frame).covers(file.canvas),
                    replaces: frame.control.transparentIndex == nil,
                    disposal: frame.control.disposal
                )
            }
        )
    }

    /// The picture after `frame`; `bytes` must be those of the file.
    ///
    /// What is wrong with a frame leaves those before it readable, and those behind it that do not need it.
    mutating func picture(
        after frame: Int,
        in bytes: UnsafeRawBufferPointer,
        isCancelled: () -> Bool
    ) throws -> Bitmap {
        // An empty canvas is what stands before frame 0, also after a leap to a frame that could not be drawn.
        defer {
            if canvas.picture == nil {
                nextFrame = 0
            }
        }
        var isComposed = false
        while !isComposed {
            let start = dependencies.start(for: frame, next: nextFrame)
            let leavesGap = start != nextFrame
            if leavesGap {
                rewind(to: start)
            }
            isComposed = try drawFrames(upTo: frame, behindGap: leavesGap, bytes, isCancelled)
        }
        guard let picture = canvas.picture else {
            throw CodecError.noSuchFrame(frame, frameCount: file.frames.count)
        }
        return picture
    }

    private mutating func rewind(to frame: Int) {
        canvas.reset()
        nextFrame = frame
    }

    /// Says `false` where the first frame, which was thought to cover everything, needs those before it after all.
    private mutating func drawFrames(
        upTo last: Int,
        behindGap: Bool,
        _ bytes: UnsafeRawBufferPointer,
        _ isCancelled: () -> Bool
    ) throws -> Bool {
        var mustCover = behindGap && nextFrame <= last && dependencies.isCovering(nextFrame)
        while nextFrame <= last {
            if isCancelled() {
                throw CancellationError()
            }
            let isComplete = try drawNextFrame(bytes, onlyIfComplete: mustCover, isCancelled)
            if !isComplete {
                dependencies.revoke(nextFrame)
                if mustCover {
                    rewind(to: 0)
                    return false
                }
            }
            nextFrame += 1
            mustCover = false
        }
        return true
    }

    /// Says whether the data fill all of the frame.
    private mutating func drawNextFrame(
        _ bytes: UnsafeRawBufferPointer,
        onlyIfComplete: Bool,
        _ isCancelled: () -> Bool
    ) throws -> Bool {
        let frame = file.frames[nextFrame]
        let area = file.area(of: frame)
        guard !frame.size.isEmpty else {
            try draw(frame, area, .over) { _, _ in }
            return true
        }
        try limits.check(frame.size, of: .gif)
        let canvases = file.canvas.bitmapByteCount.multipliedReportingOverflow(by: canvasCount)
        try limits.checkMemory(
            canvases.overflow ? .max : canvases.partialValue,
            frame.size.area,
            frame.dataRange.count,
            of: .gif
        )
        let indices = try PixelBuffer(byteCount: frame.size.area + GIFLZWDecoder.slack)
        let count = try decompress(frame, bytes, into: indices, isCancelled)
        let isComplete = count == frame.size.area
        if isComplete || !onlyIfComplete {
            try draw(frame, area, indices, count, GIFColorTable(of: frame, file, bytes))
        }
        return isComplete
    }

    /// Fills the indices of a frame; says how many there are.
    private func decompress(
        _ frame: GIFFrame,
        _ bytes: UnsafeRawBufferPointer,
        into indices: PixelBuffer,
        _ isCancelled: () -> Bool
    ) throws -> Int {
        // The specification ends at 8, but files with up to 11, whose codes still fit 12 bits, are shown everywhere.
        guard (1...11).contains(frame.minimumCodeSize) else {
            throw CodecError.corrupt(
                .gif,
                reason: "frame \(nextFrame) has a minimum code size of \(frame.minimumCodeSize)"
            )
        }
        let (data, dataCount) = try gather(frame.dataRange, of: bytes)
        let (count, outcome) = lzw.decode(
            UnsafeRawBufferPointer(start: data.pointer, count: dataCount),
            minimumCodeSize: frame.minimumCodeSize,
            into: indices.pointer.assumingMemoryBound(to: UInt8.self),
            capacity: frame.size.area,
            isCancelled: isCancelled
        )
        switch outcome {
        case .cancelled:
            throw CancellationError()
        case .damaged:
            let place = "frame \(nextFrame), pixel \(count)"
            throw CodecError.corrupt(.gif, reason: "\(place): a code without meaning")
        case .ended where count < frame.size.area && frame.isCutShort:
            throw CodecError.truncated(.gif)
        case .ended where count == 0:
            throw CodecError.corrupt(.gif, reason: "frame \(nextFrame) has no pixels")
        case .ended:
            return count
        }
    }

    /// Puts the contents of sub-blocks one behind the other.
    private func gather(
        _ range: Range<Int>,
        of bytes: UnsafeRawBufferPointer
    ) throws -> (buffer: PixelBuffer, count: Int) {
        let buffer = try PixelBuffer(byteCount: range.count + GIFLZWDecoder.inputSlack)
        var reader = GIFReader(UnsafeRawBufferPointer(rebasing: bytes[..<range.upperBound]), offset: range.lowerBound)
        var count = 0
        while let block = reader.subBlock(), !block.isEmpty {
            UnsafeMutableRawBufferPointer(start: buffer.pointer + count, count: block.count)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[block]))
            count += block.count
        }
        // A little is read behind the end, though never used.
        (buffer.pointer + count).initializeMemory(as: UInt8.self, repeating: 0, count: GIFLZWDecoder.inputSlack)
        return (buffer, count)
    }

    /// Draws the part of a frame that lies on the canvas and that its data reach.
    ///
    /// Raw pointers in the innermost loop: rows and columns end at the canvas and at the frame's count of indices.
    private mutating func draw(
        _ frame: GIFFrame,
        _ area: AnimationCanvas.Area,
        _ indices: PixelBuffer,
        _ count: Int,
        _ colors: GIFColorTable
    ) throws {
        let source = indices.pointer.assumingMemoryBound(to: UInt8.self)
        let rowOrder = frame.isInterlaced ? GIFComposer.storedRows(height: frame.size.height) : []
        let isReplacing = count == frame.size.area && !colors.hasTransparency
        try draw(frame, area, isReplacing ? .replacing(isOpaque: true) : .over) { row, y in
            let start = (frame.isInterlaced ? rowOrder[y] : y) * frame.size.width
            let width = min(area.width, count - start)
            if width > 0 {
                colors.expand(source + start, count: width, to: row)
            }
        }
    }

    private mutating func draw(
        _ frame: GIFFrame,
        _ area: AnimationCanvas.Area,
        _ drawing: AnimationCanvas.Drawing,
        row: (UnsafeMutablePointer<UInt8>, Int) -> Void
    ) throws {
        try canvas.drawFrame(area, drawing, disposal: frame.control.disposal, draw: row)
    }

    /// For each row from top to bottom, the number under which interlacing stores it (GIF89a, appendix E).
    private static func storedRows(height: Int) -> [Int] {
        var rows = [Int](repeating: 0, count: height)
        var stored = 0
        for (first, step) in [(0, 8), (4, 8), (2, 4), (1, 2)] {
            for row in stride(from: first, to: height, by: step) {
                rows[row] = stored
                stored += 1
            }
        }
        return rows
    }
}
