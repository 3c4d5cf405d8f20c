internal import HalcyonCodecs
internal import HalcyonRaster

extension WorkerResponse {
    /// Reads the description, of which nothing else may be there.
    func description<Value>(
        _ read: (inout RecordReader) throws(NonsensicalAnswer) -> Value
    ) throws -> Value {
        var reader = RecordReader(description)
        let value = try read(&reader)
        try reader.end()
        return value
    }

    /// Copies the pixels.
    func bitmap(
        of format: ImageFormat,
        _ options: DecodeOptions,
        _ isolation: WorkerIsolation
    ) throws -> (Bitmap, BitmapDescription) {
        let description = try description { reader throws(NonsensicalAnswer) in
            try BitmapDescription(from: &reader, of: format, limits: options.limits)
        }
        // Its colours were to be converted there, so that nobody reads a profile here.
        if isolation.isRequired, options.color == .sRGB, description.colorProfile != nil {
            throw NonsensicalAnswer("colours that were not converted")
        }
        let size = PixelSize(result.width, result.height)
        let depth: SampleDepth = result.bytesPerPixel == SampleDepth.sixteen.bytesPerPixel ? .sixteen : .eight
        guard !size.isEmpty else { throw NonsensicalAnswer("an image without pixels") }
        try options.limits.check(size, of: format)
        var bitmap: Bitmap
        do {
            bitmap = try Bitmap(uninitialized: size, isOpaque: description.isOpaque, depth: depth)
        } catch .invalidSize {
            throw NonsensicalAnswer("an image of \(size) pixels")
        } catch {
            throw CodecError.bitmap(error)
        }
        guard bitmap.bytesPerRow == result.bytesPerRow, bitmap.byteCount == pixels.count else {
            throw NonsensicalAnswer("rows of \(result.bytesPerRow) bytes for \(size.width) pixels")
        }
        bitmap.withUnsafeMutableBytes { $0.copyMemory(from: pixels) }
        bitmap.partialEdges = description.partialEdges
        return (bitmap, description)
    }

    func image(
        of format: ImageFormat,
        _ options: DecodeOptions,
        _ isolation: WorkerIsolation
    ) throws -> DecodedImage {
        let (bitmap, description) = try bitmap(of: format, options, isolation)
        guard let info = description.info else { throw NonsensicalAnswer("an image without a header") }
        return DecodedImage(
            bitmap: bitmap,
            info: info,
            fullSize: description.fullSize,
            colorProfile: description.colorProfile,
            isPartial: description.isPartial
        )
    }
}
