internal import HalcyonRaster

/// Decodes the frames of a file, each by itself.
struct GIFFrameDecoder {
    let file: GIFFile
    private let toleratesDamage: Bool
    private let lzw: GIFLZWDecoder

    /// A decoder of the frames of this file.
    init(_ file: GIFFile, damage: DamageHandling) throws(BitmapError) {
        self.file = file
        toleratesDamage = damage == .showsWhatIsThere
        lzw = try GIFLZWDecoder()
    }

    /// Returns the pixels of a frame, as far as its data reach; `bytes` must be those of the file.
    func pixels(
        ofFrame number: Int,
        in bytes: UnsafeRawBufferPointer,
        isCancelled: () -> Bool
    ) throws -> FramePixels {
        let frame = file.frames[number]
        guard !frame.size.isEmpty else {
            return .rows(.over, isComplete: true) { _, _ in }
        }
        let indices = try PixelBuffer(byteCount: frame.size.area + GIFLZWDecoder.slack)
        let count = try decompress(frame, number, bytes, into: indices, isCancelled)
        return pixels(of: frame, indices, count, GIFColorTable(of: frame, file, bytes))
    }

    /// Fills the indices of a frame; returns how many there are.
    private func decompress(
        _ frame: GIFFrame,
        _ number: Int,
        _ bytes: UnsafeRawBufferPointer,
        into indices: PixelBuffer,
        _ isCancelled: () -> Bool
    ) throws -> Int {
        // A row of the first frame, which would be nothing at all otherwise.
        let leastCount = toleratesDamage ? number == 0 ? frame.size.width : 0 : .max
        guard GIFLZWDecoder.minimumCodeSizes.contains(frame.minimumCodeSize) else {
            guard leastCount > 0 else {
                return 0
            }
            throw CodecError.corrupt(
                .gif,
                reason: "frame \(number) has a minimum code size of \(frame.minimumCodeSize)"
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
        case .damaged where count >= leastCount, .ended where count >= leastCount:
            return count
        case .damaged:
            let place = "frame \(number), pixel \(count)"
            throw CodecError.corrupt(.gif, reason: "\(place): a code without meaning")
        case .ended where count < frame.size.area && frame.isCutShort:
            throw CodecError.truncated(.gif)
        case .ended where count == 0 || count < frame.size.area && !toleratesDamage:
            throw CodecError.corrupt(.gif, reason: "frame \(number) has \(count) of \(frame.size.area) pixels")
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
        // The last one may be cut short.
        while let length = reader.byte(), length > 0 {
            let block = reader.range(upTo: Int(length))
            UnsafeMutableRawBufferPointer(start: buffer.pointer + count, count: block.count)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[block]))
            count += block.count
        }
        // A little is read behind the end, though never used.
        (buffer.pointer + count).initializeMemory(as: UInt8.self, repeating: 0, count: GIFLZWDecoder.inputSlack)
        return (buffer, count)
    }

    /// Returns the part of a frame that lies on the canvas and that its data reach.
    ///
    /// Raw pointers in the innermost loop: rows and columns end at the canvas and at the frame's count of indices.
    private func pixels(of frame: GIFFrame, _ indices: PixelBuffer, _ count: Int, _ colors: GIFColorTable)
        -> FramePixels
    {
        let areaWidth = frame.description.area(on: file.canvas).width
        let rowOrder = frame.isInterlaced ? Self.storedRows(height: frame.size.height) : []
        let isComplete = count == frame.size.area
        let drawing: AnimationCanvas.Drawing =
            isComplete && !colors.hasTransparency ? .replacing(isOpaque: true) : .over
        return .rows(drawing, isComplete: isComplete) { row, y in
            let start = (frame.isInterlaced ? rowOrder[y] : y) * frame.size.width
            let width = min(areaWidth, count - start)
            if width > 0 {
                let source = indices.pointer.assumingMemoryBound(to: UInt8.self)
                colors.expand(source + start, count: width, to: row)
            }
        }
    }

    /// Returns for each row from top to bottom the number under which interlacing stores it (GIF89a, appendix E).
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
