package import HalcyonRaster

extension Bitmap {
    /// A bitmap to decode into.
    ///
    /// - Parameter isCleared: Whether the pixels are transparent. Others are what the memory held before, of another
    ///   image: only for decoders that say which rows they have written. Default: `false`.
    package static func forDecoding(
        _ size: PixelSize,
        isOpaque: Bool,
        depth: SampleDepth = .eight,
        isCleared: Bool = false
    ) throws(CodecError) -> Bitmap {
        do {
            if isCleared {
                return try Bitmap(size: size, isOpaque: isOpaque, depth: depth)
            }
            return try Bitmap(uninitialized: size, isOpaque: isOpaque, depth: depth)
        } catch {
            throw .bitmap(error)
        }
    }

    /// Fills each row by `body`, which is handed the row and its number, writes straight alpha, and says whether any
    /// may be below 255; then multiplies the colours by alpha.
    ///
    /// - Parameters:
    ///   - order: The numbers of the rows in the order in which they are filled.
    ///   - premultiplies: Whether the colours are multiplied by alpha.
    ///   - body: Fills a row.
    /// - Returns: Whether every alpha is known to be 255.
    mutating func decodeRows(
        _ order: some Sequence<Int>,
        premultiplies: Bool,
        _ body: (UnsafeMutablePointer<UInt8>, Int) throws -> Bool
    ) rethrows -> Bool {
        let (width, bytesPerRow) = (width, bytesPerRow)
        return try withUnsafeMutableBytes { pixels in
            // A bitmap has at least one pixel, so there is an address.
            guard let start = pixels.assumingMemoryBound(to: UInt8.self).baseAddress else {
                return true
            }
            var isOpaque = true
            for y in order {
                let row = start + y * bytesPerRow
                if try body(row, y), !premultiplies || !PixelConversion.premultiply(row, into: row, count: width) {
                    isOpaque = false
                }
            }
            return isOpaque
        }
    }

    /// Lowers colours above their alpha to it, of pixels that a file has multiplied by alpha.
    package mutating func limitColors() {
        let (size, bytesPerRow, depth) = (size, bytesPerRow, depth)
        withUnsafeMutableBytes { pixels in
            guard let start = pixels.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
            for y in 0..<size.height {
                _ = PixelConversion.limitColors(start + y * bytesPerRow, count: size.width, depth: depth)
            }
        }
    }
}
