internal import HalcyonRaster

/// Composes the frames of a file one after the other, as browsers do: what no frame covers is transparent, and so is
/// what a frame leaves when it is disposed of "to background".
struct GIFComposer {
    let bytes: UnsafeRawBufferPointer
    let file: GIFFile
    private let lzw: GIFLZWDecoder
    private var canvas: AnimationCanvas
    /// The number of the frame that comes next.
    private(set) var nextFrame = 0

    /// A composer that stands before the first frame.
    init(_ bytes: UnsafeRawBufferPointer, _ file: GIFFile) throws {
        self.bytes = bytes
        self.file = file
        lzw = try GIFLZWDecoder()
        canvas = try AnimationCanvas(size: file.canvas)
    }

    /// The picture after `frame`, which must not lie behind the frame that comes next.
    mutating func picture(after frame: Int, isCancelled: () -> Bool) throws -> Bitmap {
        while nextFrame <= frame {
            if isCancelled() {
                throw CancellationError()
            }
            try drawNextFrame(isCancelled)
        }
        return canvas.snapshot()
    }

    private mutating func drawNextFrame(_ isCancelled: () -> Bool) throws {
        let frame = file.frames[nextFrame]
        let disposal: AnimationCanvas.Disposal =
            switch frame.control.disposal {
            case .keep: .keep
            case .background: .clear
            case .previous: .restore
            }
        let area = AnimationCanvas.Area(left: frame.left, top: frame.top, size: frame.size, within: file.canvas)
        canvas.beginFrame(area, disposal: disposal)
        if !frame.size.isEmpty {
            let indices = try PixelBuffer(byteCount: frame.size.area + GIFLZWDecoder.slack)
            let count = try decompress(frame, into: indices, isCancelled)
            draw(frame, indices, count, area)
        }
        nextFrame += 1
    }

    /// Fills the indices of a frame; says how many there are.
    private func decompress(_ frame: GIFFrame, into indices: PixelBuffer, _ isCancelled: () -> Bool) throws -> Int {
        // The specification ends at 8, but files with up to 11, whose codes still fit 12 bits, are shown everywhere.
        guard (1...11).contains(frame.minimumCodeSize) else {
            throw CodecError.corrupt(
                .gif,
                reason: "frame \(nextFrame) has a minimum code size of \(frame.minimumCodeSize)"
            )
        }
        let (data, dataCount) = try gather(frame.dataRange)
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
    private func gather(_ range: Range<Int>) throws -> (buffer: PixelBuffer, count: Int) {
        let buffer = try PixelBuffer(byteCount: max(1, range.count))
        var reader = GIFReader(UnsafeRawBufferPointer(rebasing: bytes[..<range.upperBound]), offset: range.lowerBound)
        var count = 0
        while let block = reader.subBlock(), !block.isEmpty {
            UnsafeMutableRawBufferPointer(start: buffer.pointer + count, count: block.count)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[block]))
            count += block.count
        }
        return (buffer, count)
    }

    /// Draws the part of a frame that lies on the canvas and that its data reach.
    ///
    /// Raw pointers in the innermost loop: an index has 8 bits and the table 256 entries; rows and columns end at the
    /// canvas and at the frame's count of indices.
    private mutating func draw(_ frame: GIFFrame, _ indices: PixelBuffer, _ count: Int, _ area: AnimationCanvas.Area) {
        let table = colorTable(of: frame)
        let transparent = frame.control.transparentIndex
        let rowOrder = frame.isInterlaced ? GIFComposer.storedRows(height: frame.size.height) : []
        table.withUnsafeBufferPointer { table in
            canvas.drawRows(area) { row, y in
                let start = (frame.isInterlaced ? rowOrder[y] : y) * frame.size.width
                let width = min(area.width, count - start)
                guard width > 0 else {
                    return
                }
                let source = indices.pointer.assumingMemoryBound(to: UInt8.self) + start
                let target = UnsafeMutableRawPointer(row)
                if let transparent {
                    for x in 0..<width where source[x] != transparent {
                        target.storeBytes(of: table[Int(source[x])], toByteOffset: 4 &* x, as: UInt32.self)
                    }
                } else {
                    for x in 0..<width {
                        target.storeBytes(of: table[Int(source[x])], toByteOffset: 4 &* x, as: UInt32.self)
                    }
                }
            }
        }
    }

    /// 256 opaque pixels; those that no palette names are black.
    private func colorTable(of frame: GIFFrame) -> [UInt32] {
        var table = [UInt32](repeating: UInt32(0xFF00_0000).littleEndian, count: 256)
        guard let palette = frame.palette ?? file.globalPalette else {
            return table
        }
        for index in 0..<palette.count / 3 {
            let color = palette.lowerBound + 3 * index
            let pixel = UInt32(bytes[color]) | UInt32(bytes[color + 1]) << 8 | UInt32(bytes[color + 2]) << 16
            table[index] = (pixel | 0xFF00_0000).littleEndian
        }
        return table
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
