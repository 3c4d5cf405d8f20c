internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// Makes the images of the suite, in a folder that goes with it.
final class PixelInputs {
    private let folder: TemporaryFolder
    /// A photograph that is drawn instead of a made one.
    private let photo: Bitmap?

    init(photo path: String?) throws {
        folder = try TemporaryFolder()
        photo = try path.map { try ImageCodecs.standard.decode(Data(contentsOf: URL(filePath: $0))).bitmap }
    }

    /// A file of an image of this size.
    func file(_ format: ImageFormat, _ size: PixelSize, quality: Int?, hasAlpha: Bool = false) throws -> PixelInput {
        let options = EncodeOptions(quality: quality)
        let bytes = try ImageCodecs.standard.encode(bitmap(size, hasAlpha: hasAlpha), as: format, options: options)
        return try store(bytes, format, size, isRaw: false)
    }

    /// A file of an animation: an image that moves by a few pixels from frame to frame.
    func animation(_ format: ImageFormat, _ size: PixelSize, frameCount: Int, quality: Int?) throws -> PixelInput {
        guard let encoder = ImageCodecs.standard.encoder(for: format) as? any AnimationEncoder else {
            throw BenchmarkError("there is no encoder for animations as \(format)")
        }
        let bitmap = try bitmap(PixelSize(size.width + 2 * frameCount, size.height), hasAlpha: false)
        let frames = try (0..<frameCount).map { index in
            let area = PixelRect(x: 2 * index, y: 0, width: size.width, height: size.height)
            return AnimationFrame(bitmap: try bitmap.cropped(to: area), duration: 40)
        }
        let bytes = try encoder.encode(frames, loopCount: 0, options: EncodeOptions(quality: quality))
        return try store(bytes, format, size, isRaw: false)
    }

    /// Bare pixels.
    func pixels(_ size: PixelSize, hasAlpha: Bool) throws -> PixelInput {
        let bitmap = try bitmap(size, hasAlpha: hasAlpha)
        var bytes = Data(capacity: size.area * 4)
        bitmap.withUnsafeBytes { pixels in
            for y in 0..<size.height {
                bytes.append(contentsOf: pixels[(y * bitmap.bytesPerRow)...].prefix(size.width * 4))
            }
        }
        return try store(bytes, .pam, size, isRaw: true)
    }

    private func bitmap(_ size: PixelSize, hasAlpha: Bool) throws -> Bitmap {
        guard let photo, !hasAlpha else { return try SyntheticImage.photograph(size, hasAlpha: hasAlpha) }
        return try photo.resampled(to: size)
    }

    private func store(_ bytes: Data, _ format: ImageFormat, _ size: PixelSize, isRaw: Bool) throws -> PixelInput {
        let path = folder.file("input-\(UUID().uuidString)")
        try writeFile(path, bytes)
        return PixelInput(path: path, format: format, size: size, isRaw: isRaw)
    }
}
