internal import HalcyonRaster

extension Bitmap {
    /// The same picture with its stored rows and columns moved to where a person should see them.
    func upright(_ orientation: Orientation) throws(BitmapError) -> Bitmap {
        guard orientation != .up else {
            return self
        }
        var result = try Bitmap(uninitialized: orientation.displaySize(of: size), isOpaque: isOpaque)
        let (right, bottom) = (width - 1, height - 1)
        let (sourceStride, targetStride) = (bytesPerRow, result.bytesPerRow)
        let targetSize = result.size
        withUnsafeBytes { source in
            result.withUnsafeMutableBytes { target in
                for y in 0..<targetSize.height {
                    for x in 0..<targetSize.width {
                        let (column, row) =
                            switch orientation {
                            case .up: (x, y)
                            case .upMirrored: (right - x, y)
                            case .down: (right - x, bottom - y)
                            case .downMirrored: (x, bottom - y)
                            case .leftMirrored: (y, x)
                            case .right: (y, bottom - x)
                            case .rightMirrored: (right - y, bottom - x)
                            case .left: (right - y, x)
                            }
                        let pixel = source.load(fromByteOffset: row * sourceStride + 4 * column, as: UInt32.self)
                        target.storeBytes(of: pixel, toByteOffset: y * targetStride + 4 * x, as: UInt32.self)
                    }
                }
            }
        }
        return result
    }
}
