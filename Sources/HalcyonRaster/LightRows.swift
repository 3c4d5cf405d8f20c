internal import CRasterKernels

/// Rows of pixels in linear light, four floats each: one of a source, one of a result, and those of the result's width
/// that a sum down the columns takes.
///
/// The pointers are valid as long as the value lives.
struct LightRows {
    /// A row of the source.
    let source: UnsafeMutablePointer<Float>
    /// A row of the result.
    let result: UnsafeMutablePointer<Float>
    private let rows: UnsafeMutablePointer<Float>
    private let width: Int
    private let count: Int
    private let memory: PixelBuffer

    /// Creates rows of arbitrary contents.
    ///
    /// - Parameter count: The number of rows that are kept between the passes.
    /// - Throws: ``BitmapError/outOfMemory(byteCount:)``.
    init(sourceWidth: Int, width: Int, count: Int) throws(BitmapError) {
        self.width = width
        self.count = count
        guard let byteCount = Self.byteCount(sourceWidth: sourceWidth, width: width, count: count) else {
            throw .outOfMemory(byteCount: .max)
        }
        memory = try PixelBuffer(byteCount: byteCount)
        source = memory.pointer.bindMemory(to: Float.self, capacity: byteCount / 4)
        result = source + sourceWidth * 4
        rows = result + width * 4
    }

    /// Returns the place of row `index` of the source between the passes; that of row `index - count` is the same.
    func row(_ index: Int) -> UnsafeMutablePointer<Float> { rows + index % count * width * 4 }

    /// Returns the bytes that the rows take; `nil` where they cannot be counted.
    static func byteCount(sourceWidth: Int, width: Int, count: Int) -> Int? {
        // The widths are at most 2^26, but so may be the number of rows.
        let (kept, overflows) = (count + 1).multipliedReportingOverflow(by: width)
        let (byteCount, isTooMuch) = (overflows ? Int.max : kept + sourceWidth).multipliedReportingOverflow(by: 16)
        return overflows || isTooMuch ? nil : byteCount
    }
}

extension SampleDepth {
    /// Decodes a row of pixels.
    func decodeLight(_ pixels: UnsafePointer<UInt8>, _ light: UnsafeMutablePointer<Float>, _ count: Int) {
        switch self {
        case .eight: halcyon_decode_light(pixels, Self.lightCurve, light, count)
        case .sixteen: halcyon_decode_light_16(pixels, Self.lightCurve, light, count)
        }
    }

    /// Encodes a row of pixels.
    func encodeLight(_ light: UnsafePointer<Float>, _ pixels: UnsafeMutablePointer<UInt8>, _ count: Int) {
        switch self {
        case .eight: halcyon_encode_light(light, ColorShaper.wideEncoding, pixels, count)
        case .sixteen: halcyon_encode_light_16(light, ColorShaper.wideEncoding, pixels, count)
        }
    }

    /// The light of each straight sample of 16 bits: 256 KiB, made when the first image needs it.
    private static let lightCurve: [Float] = (0...65_535).map { Float(ColorShaper.decoded(Double($0) / 65_535)) }
}
