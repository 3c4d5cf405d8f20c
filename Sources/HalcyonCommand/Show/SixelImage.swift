internal import HalcyonCodecs

/// The sixel form of an image: a palette, and for each band of six rows and each colour in it a row of characters, whose
/// bits are the pixels.
struct SixelImage {
    let bytes: [UInt8]

    /// - Parameter colorCount: The number of colours that the terminal shows at once, 2 at least; one is the transparent one.
    init(_ pixels: FlatPixels, colorCount: Int) throws {
        let colorLimit = min(256, max(2, colorCount))
        let image = try pixels.values.withUnsafeBufferPointer { values in
            try GIFIndexedImage(values, width: pixels.width, colorLimit: colorLimit)
        }
        let indices = [UInt8](image.indices)
        // "1": pixels that are not drawn stay as they are. The four numbers behind the quotation mark: square pixels,
        // and the size.
        var bytes = Array("\u{1B}P0;1;0q\"1;1;\(pixels.width);\(pixels.height)".utf8)
        for (index, color) in image.colors.enumerated() where index != image.transparentIndex.map(Int.init) {
            let percents = [0, 8, 16].map { (Int(color >> $0 & 0xFF) * 100 + 127) / 255 }
            bytes += Array("#\(index);2;\(percents[0]);\(percents[1]);\(percents[2])".utf8)
        }
        var bits = [UInt8](repeating: 0, count: image.colors.count * pixels.width)
        for top in stride(from: 0, to: pixels.height, by: 6) {
            var ends = [Int](repeating: 0, count: image.colors.count)
            for y in top..<min(top + 6, pixels.height) {
                for x in 0..<pixels.width {
                    let index = indices[y * pixels.width + x]
                    guard index != image.transparentIndex else { continue }
                    bits[Int(index) * pixels.width + x] |= 1 << UInt8(y - top)
                    ends[Int(index)] = max(ends[Int(index)], x + 1)
                }
            }
            var isFirst = true
            for (index, end) in ends.enumerated() where end > 0 {
                if !isFirst { bytes.append(UInt8(ascii: "$")) }
                isFirst = false
                bytes += Array("#\(index)".utf8)
                let start = index * pixels.width
                Self.append(bits[start..<start + end], to: &bytes)
                for place in start..<start + end { bits[place] = 0 }
            }
            bytes.append(UInt8(ascii: "-"))
        }
        bytes += Array("\u{1B}\\".utf8)
        self.bytes = bytes
    }

    /// Appends a row of characters, of which equal ones are counted.
    private static func append(_ row: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        var rest = row
        while let bits = rest.first {
            let count = rest.prefix { $0 == bits }.count
            rest = rest.dropFirst(count)
            let character = 63 + bits
            if count > 3 {
                bytes += Array("!\(count)".utf8) + [character]
            } else {
                bytes += [UInt8](repeating: character, count: count)
            }
        }
    }
}
