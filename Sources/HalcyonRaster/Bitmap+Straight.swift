internal import CRasterKernels

extension Bitmap {
    /// Returns all pixels with straight colours: red, green, blue and alpha of 8 bits, `4 * width` bytes a row without
    /// padding.
    ///
    /// Quotients are rounded to nearest, and samples of 16 bits to 8 after that. Where alpha is 0, so are the colours.
    public func straightRGBA() -> [UInt8] {
        let rowCount = width * 4
        return [UInt8](unsafeUninitializedCapacity: rowCount * height) { samples, count in
            count = rowCount * height
            guard let out = samples.baseAddress else { return }
            guard depth == .sixteen else {
                fillStraight(UnsafeMutableRawPointer(out), rowCount) { halcyon_unpremultiply($0, $1, width) }
                return
            }
            // Divided before it is rounded to 8 bits: the other way round loses the colours of faint pixels.
            var row = [UInt16](repeating: 0, count: rowCount)
            withRows { rows, bytesPerRow in
                for y in 0..<height {
                    halcyon_unpremultiply_16(rows + y * bytesPerRow, &row, width)
                    halcyon_narrow_samples(row, out + y * rowCount, rowCount)
                }
            }
        }
    }

    /// Returns all pixels with straight colours: red, green, blue and alpha of 16 bits, `4 * width` samples a row
    /// without padding; otherwise as ``straightRGBA()``.
    public func straightRGBA16() -> [UInt16] {
        let rowCount = width * 4
        return [UInt16](unsafeUninitializedCapacity: rowCount * height) { samples, count in
            count = rowCount * height
            guard let out = samples.baseAddress else { return }
            guard depth == .eight else {
                fillStraight(UnsafeMutableRawPointer(out), rowCount * 2) { halcyon_unpremultiply_16($0, $1, width) }
                return
            }
            withRows { rows, bytesPerRow in
                for y in 0..<height {
                    let row = out + y * rowCount
                    halcyon_widen_samples(rows + y * bytesPerRow, row, rowCount)
                    halcyon_unpremultiply_16(row, row, width)
                }
            }
        }
    }

    private func fillStraight(
        _ out: UnsafeMutableRawPointer,
        _ rowByteCount: Int,
        divide: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Void
    ) {
        withRows { rows, bytesPerRow in
            for y in 0..<height {
                let to = (out + y * rowByteCount).assumingMemoryBound(to: UInt8.self)
                if isOpaque {
                    to.initialize(from: rows + y * bytesPerRow, count: rowByteCount)
                } else {
                    divide(rows + y * bytesPerRow, to)
                }
            }
        }
    }
}
