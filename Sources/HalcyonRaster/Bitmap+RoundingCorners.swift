extension Bitmap {
    /// Returns the image with rounded corners, all of the same radius.
    ///
    /// - Parameters:
    ///   - radius: in pixels. Half the shorter side and more gives a pill, or a circle where the image is square.
    ///   - corners: the corners that are rounded, all by default.
    ///   - background: see ``roundingCorners(_:border:background:isCancelled:)``.
    /// - Throws: as ``roundingCorners(_:border:background:isCancelled:)`` does.
    public func roundingCorners(
        radius: Double,
        corners: Corners = .all,
        background: Color? = nil
    ) throws -> Bitmap {
        try roundingCorners(CornerRadii(radius, corners: corners), background: background)
    }

    /// Returns the image with rounded corners, and a line along its edge. Each pixel is mixed of the exact areas of
    /// image, line and background in it.
    ///
    /// - Parameters:
    ///   - radii: in pixels, those of the edge; limited as ``CornerRadii/fitted(to:)`` says.
    ///   - border: the line along the edge, none by default.
    ///   - background: the colour behind the image, which shows where the corners were and wherever the image is
    ///     transparent. None by default: the corners are transparent.
    ///   - isCancelled: called before every row.
    /// - Throws: `CancellationError` when `isCancelled` returns `true`, ``BitmapError/outOfMemory(byteCount:)`` where the
    ///   memory cannot be allocated.
    public func roundingCorners(
        _ radii: CornerRadii,
        border: PixelBorder? = nil,
        background: Color? = nil,
        isCancelled: () -> Bool = { false }
    ) throws -> Bitmap {
        try framed(ImageFrame(radii: radii, border: border, background: background), isCancelled: isCancelled)
    }

    /// Returns the image with a line along its sides, which is drawn over it and cuts nothing off.
    ///
    /// - Parameters:
    ///   - border: The line.
    ///   - radii: The radii of its corners, in pixels: those of its outer side, or of its middle where it is
    ///     ``BorderPlacement/centered``. Beyond round corners, the image shows. Default: none is round.
    ///   - isCancelled: Called before every row.
    /// - Throws: `CancellationError` when `isCancelled` returns `true`, ``BitmapError/outOfMemory(byteCount:)`` where the
    ///   memory cannot be allocated.
    public func bordered(
        _ border: PixelBorder,
        radii: CornerRadii = CornerRadii(),
        isCancelled: () -> Bool = { false }
    ) throws -> Bitmap {
        try framed(ImageFrame(radii: radii, cutsImage: false, border: border), isCancelled: isCancelled)
    }

    private func framed(_ frame: ImageFrame, isCancelled: () -> Bool) throws -> Bitmap {
        var pass = BitmapPass(over: size)
        pass.add(frame)
        return try applying(pass, isCancelled: isCancelled)
    }
}
