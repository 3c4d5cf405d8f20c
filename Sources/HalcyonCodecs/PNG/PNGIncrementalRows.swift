internal import HalcyonRaster

/// The rows of an image whose stream is decompressed piece by piece, of which two are kept: the one that is being
/// filled, and the one above, which filters need.
///
/// Raw pointers: all lengths are those of the buffers, which were made from the header.
final class PNGIncrementalRows {
    /// The place of a row of an interlaced image, or of any other, whose steps and blocks are 1.
    struct Place {
        var y = 0
        var firstColumn = 0
        var columnStep = 1
        /// The number of pixels of the row.
        var count: Int
        /// The pixels that each stands for until later passes come.
        var blockWidth = 1
        var blockHeight = 1
    }

    private let header: PNGHeader
    private let passes: [PNGInterlacePass]
    private let buffers: (PixelBuffer, PixelBuffer)
    private var isSecond = false
    private var filledCount = 0
    private var row = 0
    /// The number of passes that are complete.
    private(set) var passNumber = 0

    init(_ header: PNGHeader) throws(BitmapError) {
        self.header = header
        passes =
            header.isInterlaced
            ? PNGInterlacePass.all
            : [PNGInterlacePass(firstColumn: 0, firstRow: 0, columnStep: 1, rowStep: 1)]
        let byteCount = header.rowByteCount(width: header.size.width) + 1 + PNGStreamDecoder.slack
        buffers = (try PixelBuffer(byteCount: byteCount), try PixelBuffer(byteCount: byteCount))
        beginPass()
    }

    /// A Boolean value that indicates whether there are no more rows.
    var isComplete: Bool { passNumber == passes.count }

    private var size: PixelSize { passes[passNumber].size(of: header.size) }
    private var byteCount: Int { header.rowByteCount(width: size.width) + 1 }
    private var current: PixelBuffer { isSecond ? buffers.1 : buffers.0 }
    private var previous: PixelBuffer { isSecond ? buffers.0 : buffers.1 }

    /// The part of the row under way that has no bytes yet; `nil` if it is whole.
    var rest: UnsafeMutableRawBufferPointer? {
        let count = byteCount - filledCount
        return count == 0 ? nil : UnsafeMutableRawBufferPointer(start: current.pointer + filledCount, count: count)
    }

    /// Notes that so many bytes of ``rest`` have been written.
    func note(_ count: Int) {
        filledCount += count
    }

    /// The place of the row under way.
    var place: Place {
        let pass = passes[passNumber]
        var place = Place(y: pass.firstRow + row * pass.rowStep, count: size.width)
        guard header.isInterlaced else { return place }
        place.firstColumn = pass.firstColumn
        place.columnStep = pass.columnStep
        // What is left of the pass's grid is filled by the passes before.
        place.blockWidth = pass.columnStep - pass.firstColumn
        place.blockHeight = pass.rowStep - pass.firstRow
        return place
    }

    /// Undoes the filter of the row, which is whole.
    func unfiltered() throws(CodecError) -> UnsafeMutablePointer<UInt8> {
        let row = current.pointer.assumingMemoryBound(to: UInt8.self) + 1
        let above = UnsafePointer(previous.pointer.assumingMemoryBound(to: UInt8.self) + 1)
        try PNGStreamDecoder.unfilter(row, type: row[-1], above, byteCount - 1, header.bytesPerPixel)
        return row
    }

    /// Goes on to the next row, or the next pass that has any.
    func advance() {
        filledCount = 0
        isSecond.toggle()
        row += 1
        guard row == size.height else { return }
        passNumber += 1
        beginPass()
    }

    private func beginPass() {
        row = 0
        while passNumber < passes.count, size.isEmpty { passNumber += 1 }
        // The row above the first of a pass counts as zero (PNG, 9.2).
        for buffer in [buffers.0, buffers.1] {
            buffer.pointer.initializeMemory(as: UInt8.self, repeating: 0, count: buffer.byteCount)
        }
    }
}
