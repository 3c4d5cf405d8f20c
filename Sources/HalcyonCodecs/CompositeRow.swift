/// A row of pixels laid on an opaque background.
struct CompositeRow {
    private var row: [UInt8]
    private let background: OpaqueColor

    init(width: Int, background: OpaqueColor) {
        row = Array(repeating: 255, count: width * 4)
        self.background = background
    }

    /// Composites premultiplied RGBA pixels, of which the first `width` count, and lends the result.
    mutating func withPixels<Result>(
        of source: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let (red, green, blue) = (UInt32(background.red), UInt32(background.green), UInt32(background.blue))
        return row.withUnsafeMutableBytes { row in
            for offset in stride(from: 0, to: row.count, by: 4) {
                let cover = 255 - UInt32(source[offset + 3])
                row[offset] = Self.sum(source[offset], cover * red)
                row[offset + 1] = Self.sum(source[offset + 1], cover * green)
                row[offset + 2] = Self.sum(source[offset + 2], cover * blue)
            }
            return body(UnsafeRawBufferPointer(row))
        }
    }

    @inline(__always)
    private static func sum(_ color: UInt8, _ background: UInt32) -> UInt8 {
        UInt8(min(255, UInt32(color) + (background + 127) / 255))
    }
}
