internal import HalcyonRaster

/// Turns unfiltered rows into those of a bitmap, whatever its depth.
struct PNGRowExpander {
    private let expander: PNGPixelExpander
    private let wideExpander: PNGWideExpander?
    private let line: PixelBuffer?

    /// An expander for the rows of a file, or of a frame of `width` pixels.
    init(_ file: PNGFile, width: Int, depth: SampleDepth, premultiplies: Bool) {
        expander = PNGPixelExpander(file, premultiplies: premultiplies)
        wideExpander = depth == .sixteen ? PNGWideExpander(file) : nil
        // Where there is no memory for a row, there is none for the image, which is made next.
        let byteCount = width * depth.bytesPerPixel
        line = file.header.isInterlaced ? try? PixelBuffer(byteCount: byteCount) : nil
    }

    /// Writes `width` pixels; says whether all of them are opaque.
    func expand(_ row: UnsafeMutablePointer<UInt8>, width: Int, to output: UnsafeMutablePointer<UInt8>) -> Bool {
        wideExpander?.expand(row, width: width, to: output) ?? expander.expand(row, width: width, to: output)
    }

    /// Writes the pixels of a row of a pass to the blocks that they stand for; says whether all of them are opaque.
    func spread(
        _ row: UnsafeMutablePointer<UInt8>,
        _ place: PNGIncrementalRows.Place,
        to pixels: UnsafeMutableRawBufferPointer,
        size: PixelSize,
        bytesPerRow: Int
    ) -> Bool {
        guard let line, let start = pixels.baseAddress else { return true }
        let isOpaque = expand(row, width: place.count, to: line.pointer.assumingMemoryBound(to: UInt8.self))
        if wideExpander == nil {
            spread(line.pointer, place, to: start, size, bytesPerRow, as: UInt32.self)
        } else {
            spread(line.pointer, place, to: start, size, bytesPerRow, as: UInt64.self)
        }
        return isOpaque
    }

    /// Raw pointers: rows and columns end at the size, which is that of the bitmap.
    private func spread<Pixel: FixedWidthInteger>(
        _ source: UnsafeMutableRawPointer,
        _ place: PNGIncrementalRows.Place,
        to start: UnsafeMutableRawPointer,
        _ size: PixelSize,
        _ bytesPerRow: Int,
        as type: Pixel.Type
    ) {
        let byteCount = MemoryLayout<Pixel>.size
        for y in place.y..<min(place.y + place.blockHeight, size.height) {
            let target = start + y * bytesPerRow
            for index in 0..<place.count {
                let left = place.firstColumn &+ index &* place.columnStep
                let pixel = source.load(fromByteOffset: byteCount &* index, as: Pixel.self)
                for x in left..<min(left &+ place.blockWidth, size.width) {
                    target.storeBytes(of: pixel, toByteOffset: byteCount &* x, as: Pixel.self)
                }
            }
        }
    }
}
