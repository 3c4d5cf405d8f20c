/// The colours that pixels of 1 to 8 bits name: 256 pixels, opaque black where the file has no colour.
struct BMPPalette {
    /// Each as red, green, blue, alpha in memory.
    let colors: [UInt32]

    private static let black: UInt32 = 0xff00_0000

    /// Reads up to 256 colours; those that are stored as blue, green, red, which in 4 bytes a fourth without meaning
    /// follows.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - header: Says where the colours are.
    ///   - end: Where they end, whatever the header says: at the pixels.
    init(_ bytes: UnsafeRawBufferPointer, _ header: BMPHeader, end: Int) {
        var colors = [UInt32](repeating: Self.black, count: 256)
        let entrySize = header.paletteEntrySize
        for index in 0..<min(header.paletteCount, 256) {
            let entry = header.paletteOffset + index * entrySize
            guard entry + entrySize <= min(end, bytes.count) else {
                break
            }
            let (blue, green, red) = (UInt32(bytes[entry]), UInt32(bytes[entry + 1]), UInt32(bytes[entry + 2]))
            colors[index] = red | green << 8 | blue << 16 | Self.black
        }
        self.colors = colors
    }
}
