internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonSystem

extension ImageCheck {
    /// The pixels of frames behind the first that are compared at most. A number, not a time, so that both runs end at
    /// the same frame.
    private static let greatestPixelCount = 1 << 25

    /// Decodes twice, over memory that holds one byte throughout and over memory that holds another: the pixels of the
    /// library, and the heap of what it calls. Whatever is shown of what the memory held before differs.
    ///
    /// - Throws: ``ImageMismatch`` where the two runs give different pixels, or different errors.
    func compareFillings(_ data: Data, _ limits: DecodeLimits) throws(ImageMismatch) {
        let (first, second) = (results(of: data, limits, over: 0xA5), results(of: data, limits, over: 0x5A))
        for (number, pair) in zip(first, second).enumerated() where pair.0 != pair.1 {
            throw ImageMismatch("result \(number) depends on what the memory held before: \(pair.0), \(pair.1)")
        }
        guard first.count == second.count else {
            throw ImageMismatch("\(first.count) results over one filling of memory, \(second.count) over another")
        }
    }

    private func results(of data: Data, _ limits: DecodeLimits, over byte: UInt8) -> [String] {
        MemoryPool.fillMemory(with: byte)
        defer { MemoryPool.fillMemory(with: nil) }
        var results: [String] = []
        for target in [nil, PixelSize(64, 64)] {
            let options = DecodeOptions(targetSize: target, limits: limits)
            results.append(Self.result { try codecs.decode(data, options: options).bitmap })
        }
        guard let info = try? codecs.info(of: data, limits: limits), info.frameCount > 1,
            let decoder = try? codecs.decoder(for: data),
            var cursor = try? decoder.cursor(for: data, options: DecodeOptions(limits: limits))
        else {
            return results
        }
        let count = min(info.frameCount, max(2, Self.greatestPixelCount / max(1, info.size.area)))
        for frame in 0..<count {
            results.append(Self.result { try cursor.bitmap(ofFrame: frame) { false } })
        }
        return results
    }

    /// A hash of the pixels, or the error.
    private static func result(_ body: () throws -> Bitmap) -> String {
        do {
            let bitmap = try body()
            let byteCount = bitmap.width * bitmap.bytesPerPixel
            var hash: UInt64 = 0
            bitmap.withUnsafeBytes { pixels in
                for row in 0..<bitmap.height {
                    let start = row * bitmap.bytesPerRow
                    for offset in stride(from: start, to: start + byteCount, by: 4) {
                        let pixel = pixels.load(fromByteOffset: offset, as: UInt32.self)
                        hash = (hash ^ UInt64(pixel)) &* 0x9E37_79B9_7F4A_7C15
                        hash ^= hash >> 29
                    }
                }
            }
            return "\(bitmap.size) pixels \(String(hash, radix: 16))\(bitmap.isOpaque ? ", opaque" : "")"
        } catch {
            return "\(error)"
        }
    }
}
