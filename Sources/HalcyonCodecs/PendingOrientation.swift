internal import HalcyonRaster

// TO REPLACE by `Bitmap.oriented(_:)` of HalcyonRaster.
extension Bitmap {
    /// The picture as a person should see it.
    func upright(_ orientation: Orientation) throws(CodecError) -> Bitmap {
        guard orientation != .up else {
            return self
        }
        var result = try Bitmap.forDecoding(orientation.displaySize(of: size), isOpaque: isOpaque)
        let (resultBytesPerRow, storedWidth, storedHeight) = (result.bytesPerRow, width, height)
        withUnsafeBytes { stored in
            result.withUnsafeMutableBytes { upright in
                for y in 0..<storedHeight {
                    for x in 0..<storedWidth {
                        let (right, bottom) = (storedWidth - 1 - x, storedHeight - 1 - y)
                        let (column, row) =
                            switch orientation {
                            case .up: (x, y)
                            case .upMirrored: (right, y)
                            case .down: (right, bottom)
                            case .downMirrored: (x, bottom)
                            case .leftMirrored: (y, x)
                            case .right: (bottom, x)
                            case .rightMirrored: (bottom, right)
                            case .left: (y, right)
                            }
                        let pixel = stored.loadUnaligned(fromByteOffset: y * bytesPerRow + x * 4, as: UInt32.self)
                        upright.storeBytes(
                            of: pixel,
                            toByteOffset: row * resultBytesPerRow + column * 4,
                            as: UInt32.self
                        )
                    }
                }
            }
        }
        return result
    }
}
