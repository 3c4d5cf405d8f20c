extension Bitmap {
    /// The same image with samples of `depth`; itself at no cost where it has that depth already.
    ///
    /// A sample of 8 bits is multiplied by 257, so that the largest stays the largest; one of 16 is divided by it and
    /// rounded to nearest, without dithering. To 16 bits and back changes nothing.
    ///
    /// - Throws: ``BitmapError/outOfMemory(byteCount:)`` where the memory cannot be had.
    public func converted(to depth: SampleDepth) throws(BitmapError) -> Bitmap {
        guard depth != self.depth else { return self }
        var result = try Bitmap(uninitialized: size, isOpaque: isOpaque, depth: depth)
        result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            for y in 0..<height {
                self.depth.convert(source + y * sourceBytesPerRow, to: depth, out + y * outBytesPerRow, width)
            }
        }
        return result
    }
}
