internal import Glibc
internal import HalcyonRaster

extension Bitmap {
    /// The smallest rectangle outside of which this image is the same as another of its size and depth; where they are
    /// the same everywhere, the first pixel.
    func areaThatDiffers(from other: Bitmap) -> PixelRect {
        withUnsafeBytes { bytes in
            other.withUnsafeBytes { otherBytes in
                var rows = 0..<0
                var columns = 0..<0
                for y in 0..<height {
                    guard let range = differingColumns(y, bytes, otherBytes) else {
                        continue
                    }
                    columns = rows.isEmpty ? range : columns.union(range)
                    rows = (rows.isEmpty ? y : rows.lowerBound)..<y + 1
                }
                guard !rows.isEmpty else {
                    return PixelRect(size: PixelSize(1, 1))
                }
                return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
            }
        }
    }

    private func differingColumns(
        _ y: Int,
        _ bytes: UnsafeRawBufferPointer,
        _ otherBytes: UnsafeRawBufferPointer
    ) -> Range<Int>? {
        let row = UnsafeRawBufferPointer(rebasing: bytes[y * bytesPerRow..<y * bytesPerRow + 4 * width])
        let other = UnsafeRawBufferPointer(rebasing: otherBytes[y * bytesPerRow..<y * bytesPerRow + 4 * width])
        guard let start = row.baseAddress, let otherStart = other.baseAddress, memcmp(start, otherStart, row.count) != 0
        else {
            return nil
        }
        let differs = { (x: Int) in
            row.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
                != other.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
        }
        guard let first = (0..<width).first(where: differs), let last = (0..<width).last(where: differs) else {
            return nil
        }
        return first..<last + 1
    }

    /// The pixels inside a rectangle.
    func part(_ area: PixelRect) throws(CodecError) -> Bitmap {
        do {
            return try cropped(to: area)
        } catch let error as BitmapError {
            throw .bitmap(error)
        } catch {
            throw .bitmap(.invalidSize(area.size))
        }
    }
}

extension Range<Int> {
    /// The smallest range that holds both.
    fileprivate func union(_ other: Range<Int>) -> Range<Int> {
        Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
    }
}
