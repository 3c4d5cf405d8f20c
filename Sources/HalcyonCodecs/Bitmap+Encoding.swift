internal import HalcyonRaster

extension Bitmap {
    /// The picture with 8 bits a sample, for formats and encoders that have no more.
    func withEightBits() throws(CodecError) -> Bitmap {
        do {
            return try converted(to: .eight)
        } catch {
            throw .bitmap(error)
        }
    }
}
