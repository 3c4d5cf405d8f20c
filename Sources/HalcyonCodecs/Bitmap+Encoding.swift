package import HalcyonRaster

extension Bitmap {
    /// The image with 8 bits a sample, for formats and encoders that have no more.
    func withEightBits() throws(CodecError) -> Bitmap {
        do {
            return try converted(to: .eight)
        } catch {
            throw .bitmap(error)
        }
    }

    /// Hands out one row after the other, from top to bottom, with straight alpha: red, green, blue, alpha, of 8 bits.
    ///
    /// - Throws: What the closure throws; ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    func forEachStraightRow(_ body: (UnsafePointer<UInt8>) throws(CodecError) -> Void) throws(CodecError) {
        precondition(depth == .eight, "an image of 16 bits a sample is converted first")
        let buffer = try PixelBuffer.forEncoding(byteCount: width * 4)
        defer { withExtendedLifetime(buffer) {} }
        let row = buffer.pointer.bindMemory(to: UInt8.self, capacity: buffer.byteCount)
        for y in 0..<height {
            pack(row: y, into: buffer.pointer, hasAlpha: true)
            try body(row)
        }
    }

    /// Calls a closure with all samples, without padding: red, green, blue and straight alpha, or the colours alone.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    package func withPackedSamples<Result>(
        hasAlpha: Bool,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(CodecError) -> Result {
        let rowByteCount = width * bytesPerPixel / 4 * (hasAlpha ? 4 : 3)
        let buffer = try PixelBuffer.forEncoding(byteCount: rowByteCount * height)
        return withExtendedLifetime(buffer) {
            for y in 0..<height { pack(row: y, into: buffer.pointer + y * rowByteCount, hasAlpha: hasAlpha) }
            return body(UnsafeRawBufferPointer(start: buffer.pointer, count: buffer.byteCount))
        }
    }

    /// Writes the samples of a row: red, green, blue and straight alpha, or the colours alone.
    package func pack(row y: Int, into out: UnsafeMutableRawPointer, hasAlpha: Bool) {
        withUnsafeBytes { pixels in
            // A bitmap has at least one pixel, so there is an address.
            guard let start = pixels.baseAddress else { return }
            let row = start + y * bytesPerRow
            switch (hasAlpha, depth) {
            case (true, .eight):
                let (row, out) = (row.assumingMemoryBound(to: UInt8.self), out.assumingMemoryBound(to: UInt8.self))
                PixelConversion.unpremultiply(row, into: out, count: width)
            case (true, .sixteen): PixelConversion.unpremultiply16(row, into: out, count: width)
            case (false, .eight): Self.dropAlpha(row, into: out, count: width, as: UInt8.self)
            case (false, .sixteen): Self.dropAlpha(row, into: out, count: width, as: UInt16.self)
            }
        }
    }

    private static func dropAlpha<Sample>(
        _ row: UnsafeRawPointer,
        into out: UnsafeMutableRawPointer,
        count: Int,
        as type: Sample.Type
    ) {
        let (row, out) = (row.assumingMemoryBound(to: type), out.assumingMemoryBound(to: type))
        for x in 0..<count {
            for channel in 0..<3 {
                out[x &* 3 &+ channel] = row[x &* 4 &+ channel]
            }
        }
    }
}
