internal import HalcyonRaster

extension Bitmap {
    /// A bitmap to decode into.
    static func forDecoding(
        _ size: PixelSize,
        isOpaque: Bool,
        depth: SampleDepth = .eight
    ) throws(CodecError) -> Bitmap {
        do {
            return try Bitmap(uninitialized: size, isOpaque: isOpaque, depth: depth)
        } catch {
            throw .bitmap(error)
        }
    }

    /// The upright picture, as the last step of decoding.
    func upright(_ orientation: Orientation) throws(CodecError) -> Bitmap {
        do {
            return try oriented(orientation)
        } catch let error as BitmapError {
            throw .bitmap(error)
        } catch {
            throw .bitmap(.invalidSize(size))
        }
    }
}
