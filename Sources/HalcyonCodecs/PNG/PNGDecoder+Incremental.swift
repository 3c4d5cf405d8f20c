public import FoundationEssentials
internal import HalcyonRaster

extension PNGDecoder: IncrementalDecoding {
    /// Begins to read the default image, once its data begin. An orientation that stands behind them turns the images
    /// that are made from then on.
    public func incrementalReader(for beginning: Data, options: DecodeOptions) throws -> any IncrementalReading {
        let (file, offset) = try beginning.withUnsafeBytes { bytes in
            let file = try PNGFile(bytes, limits: options.limits, checksImageData: false)
            return (file, try PNGFile.offsetOfImageData(in: bytes))
        }
        guard !options.readsAnimation || !file.hasSeparateImage else {
            throw CodecError.unsupported(.png, reason: "its first frame comes behind its default image")
        }
        let (limits, size) = (options.limits, file.header.size)
        try limits.check(size, of: .png)
        // Rows are kept beside each image that is made of them, and turned once more.
        let byteCount = size.bitmapByteCount(depth: file.depth(for: options))
        let rowByteCount = file.header.rowByteCount(width: size.width)
        try limits.checkMemory(byteCount, byteCount, byteCount, 2 * rowByteCount, of: .png)
        return try PNGIncrementalReader(beginning, imageAt: offset, file, options: options)
    }
}

extension PNGFile {
    /// Returns the place of the first IDAT chunk of bytes that have one, whole or not.
    fileprivate static func offsetOfImageData(in bytes: UnsafeRawBufferPointer) throws(CodecError) -> Int {
        var reader = try start(bytes)
        var offset = PNGChunkReader.signature.count
        while case .chunk(let chunk) = try reader.next(), chunk.type != .imageData {
            offset = chunk.range.upperBound + 4
        }
        return offset
    }
}
