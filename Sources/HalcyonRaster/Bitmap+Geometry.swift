extension Bitmap {
    /// The pixels inside `rect`, as a bitmap of their own. What of `rect` lies outside of the image is cut off.
    ///
    /// - Throws: ``BitmapError/invalidSize(_:)`` when nothing of `rect` lies inside,
    ///   ``BitmapError/outOfMemory(byteCount:)`` where the memory cannot be had.
    public func cropped(to rect: PixelRect) throws -> Bitmap {
        let rect = rect.intersection(PixelRect(size: size))
        guard rect.size != size else { return self }
        var result = try Bitmap(uninitialized: rect.size, isOpaque: isOpaque, depth: depth)
        result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            for y in 0..<rect.size.height {
                (out + y * outBytesPerRow).update(
                    from: source + (rect.origin.y + y) * sourceBytesPerRow + rect.origin.x * bytesPerPixel,
                    count: rect.size.width * bytesPerPixel
                )
            }
        }
        return result
    }

    /// The image as a person should see it, when its rows and columns are stored as `orientation` says.
    ///
    /// For ``Orientation/up`` the same bitmap at no cost.
    ///
    /// - Throws: ``BitmapError/outOfMemory(byteCount:)`` where the memory cannot be had.
    public func oriented(_ orientation: Orientation) throws -> Bitmap {
        guard orientation != .up else { return self }
        var result = try Bitmap(uninitialized: orientation.displaySize(of: size), isOpaque: isOpaque, depth: depth)
        let resultHeight = result.height
        result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            // Walking rows from the last to the first mirrors top to bottom.
            let lastSource = source + (height - 1) * sourceBytesPerRow
            let lastOut = out + (resultHeight - 1) * outBytesPerRow
            switch orientation {
            case .up, .upMirrored:
                for y in 0..<height {
                    depth.reverse(source + y * sourceBytesPerRow, out + y * outBytesPerRow, width)
                }
            case .down:
                for y in 0..<height {
                    depth.reverse(lastSource - y * sourceBytesPerRow, out + y * outBytesPerRow, width)
                }
            case .downMirrored:
                for y in 0..<height {
                    (out + y * outBytesPerRow)
                        .update(from: lastSource - y * sourceBytesPerRow, count: width * bytesPerPixel)
                }
            case .leftMirrored:
                depth.transpose(source, sourceBytesPerRow, out, outBytesPerRow, width, height)
            case .right:
                depth.transpose(lastSource, -sourceBytesPerRow, out, outBytesPerRow, width, height)
            case .rightMirrored:
                depth.transpose(lastSource, -sourceBytesPerRow, lastOut, -outBytesPerRow, width, height)
            case .left:
                depth.transpose(source, sourceBytesPerRow, lastOut, -outBytesPerRow, width, height)
            }
        }
        return result
    }
}
