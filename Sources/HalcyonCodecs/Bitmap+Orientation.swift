package import HalcyonRaster

extension DecodeOptions {
    /// Returns the orientation by which an image stored with this one is turned.
    package func appliedOrientation(of stored: Orientation) -> Orientation { appliesOrientation ? stored : .up }

    /// Returns the size of an image as it is returned, at full resolution.
    package func displaySize(of info: ImageInfo) -> PixelSize {
        appliedOrientation(of: info.orientation).displaySize(of: info.size)
    }
}

extension Bitmap {
    /// The upright image, as the last step of decoding.
    package func upright(_ orientation: Orientation) throws(CodecError) -> Bitmap {
        do {
            return try oriented(orientation)
        } catch let error as BitmapError {
            throw .bitmap(error)
        } catch {
            throw .bitmap(.invalidSize(size))
        }
    }
}
