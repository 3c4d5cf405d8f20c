/// Makes a ``ColorChange`` piece by piece: of one row into another, or in place.
struct ColorPainter {
    /// Reads so many pixels, at most ``PixelSize/pieceLength``, and writes the changed ones, also in place.
    let kernel: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int) -> Void
    /// A Boolean value that indicates whether the changed image is opaque.
    let isOpaque: Bool
    /// A Boolean value that indicates whether no pixel changes.
    let isIdentity: Bool
    private let width: Int
    private let bytesPerPixel: Int

    /// Creates a painter for images of one depth.
    ///
    /// - Parameters:
    ///   - width: The number of pixels of a row.
    ///   - isOpaque: A Boolean value that indicates whether the image is opaque.
    init(_ change: ColorChange, width: Int, depth: SampleDepth, isOpaque: Bool) {
        self.width = width
        bytesPerPixel = depth.bytesPerPixel
        switch change {
        case .adjustment(let adjustment, let space):
            isIdentity = adjustment == .identity
            self.isOpaque = isOpaque
            kernel =
                switch space {
                case .sRGB: PixelTransform(adjustment).kernel(depth: depth)
                case .linear: adjustment.lightKernel(depth: depth)
                }
        case .overlay(let color, let fraction):
            isIdentity = fraction >= 1
            self.isOpaque = isOpaque && (isIdentity || color.isOpaque(at: depth))
            kernel = PixelTransform(overlay: color, fraction: fraction).kernel(depth: depth)
        case .tint(let color, let mode, let opacity):
            let opacity = BlendMode.limited(opacity)
            isIdentity = false
            self.isOpaque = mode.isOpaque(source: opacity == 1 && color.isOpaque(at: depth), backdrop: isOpaque)
            kernel = Self.withPiece(of: color, width: width, depth: depth) { piece, pixels, out, count in
                mode.blend(piece, over: pixels, into: out, count: count, opacity: opacity, depth: depth)
            }
        case .background(let color, let mode, let opacity):
            let opacity = BlendMode.limited(opacity)
            // An opaque image hides the background.
            isIdentity = mode == .normal && opacity == 1 && isOpaque
            self.isOpaque = mode.isOpaque(source: opacity == 1 && isOpaque, backdrop: color.isOpaque(at: depth))
            kernel = Self.withPiece(of: color, width: width, depth: depth) { piece, pixels, out, count in
                mode.blend(pixels, over: piece, into: out, count: count, opacity: opacity, depth: depth)
            }
        }
    }

    /// Changes a row; both rows may be the same.
    func paint(_ row: UnsafePointer<UInt8>, into out: UnsafeMutablePointer<UInt8>) {
        for x in stride(from: 0, to: width, by: PixelSize.pieceLength) {
            let offset = x * bytesPerPixel
            kernel(row + offset, out + offset, min(PixelSize.pieceLength, width - x))
        }
    }

    /// Returns a kernel that is given a piece of a row whose pixels have one colour.
    private static func withPiece(
        of color: Color,
        width: Int,
        depth: SampleDepth,
        _ blend: @escaping (UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int) -> Void
    ) -> (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int) -> Void {
        let count = min(width, PixelSize.pieceLength)
        let piece = [UInt8](unsafeUninitializedCapacity: count * depth.bytesPerPixel) { piece, byteCount in
            guard let start = piece.baseAddress else { return }
            depth.fill(start, with: color, count)
            byteCount = count * depth.bytesPerPixel
        }
        return { pixels, out, count in
            piece.withUnsafeBufferPointer { piece in
                // A bitmap has at least one pixel in a row, so there is an address.
                guard let piece = piece.baseAddress else { return }
                blend(piece, pixels, out, count)
            }
        }
    }
}

extension Bitmap {
    /// Returns the image with its colours changed; the same bitmap at no cost where none changes.
    ///
    /// - Parameter isCancelled: Called every 65,536 pixels.
    /// - Throws: `CancellationError` when `isCancelled` returns `true`; ``BitmapError/outOfMemory(byteCount:)``.
    func changingColors(_ change: ColorChange, isCancelled: () -> Bool) throws -> Bitmap {
        let painter = ColorPainter(change, width: width, depth: depth, isOpaque: isOpaque)
        guard !painter.isIdentity else { return self }
        return try mapped(isOpaque: painter.isOpaque, isCancelled: isCancelled, painter.kernel)
    }
}
