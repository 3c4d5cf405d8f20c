extension Bitmap {
    /// Returns the pixels inside `rect`, as a bitmap of their own. The part of `rect` outside of the image is cut off.
    ///
    /// - Parameter isCancelled: Called before every row.
    /// - Throws: `CancellationError` when `isCancelled` returns `true`; ``BitmapError/invalidSize(_:)`` when nothing of
    ///   `rect` lies inside, ``BitmapError/outOfMemory(byteCount:)`` where the memory cannot be allocated.
    public func cropped(to rect: PixelRect, isCancelled: () -> Bool = { false }) throws -> Bitmap {
        let rect = rect.intersection(PixelRect(size: size))
        guard !rect.isEmpty else { throw BitmapError.invalidSize(rect.size) }
        var pass = BitmapPass(over: size)
        _ = pass.crop(to: rect)
        return try applying(pass, isCancelled: isCancelled)
    }
}
