internal import Halcyon

/// Pixels for terminals that know no transparency but all or nothing.
struct FlatPixels: Sendable {
    let width: Int
    let height: Int
    /// Rows of opaque colours, red in the lowest byte, then green and blue; or ``transparent``.
    let values: [UInt32]

    /// Opaque colours have 24 bits, so that this is none of them.
    static let transparent = UInt32.max

    /// Lays an image over a colour.
    ///
    /// - Parameters:
    ///   - background: `nil` for one that is not known: pixels then are opaque or transparent, whichever is nearer. An
    ///     edge that is mixed with a guess shows as a line around what it encloses.
    ///   - keepsTransparency: Whether pixels without any opacity stay transparent; otherwise they are the background,
    ///     or black. Default: `true`.
    init(_ bitmap: Bitmap, over background: Color?, keepsTransparency: Bool = true) {
        width = bitmap.width
        height = bitmap.height
        let samples = bitmap.straightRGBA()
        let behind = [background?.red, background?.green, background?.blue].map { channel in
            UInt32(min(1, max(0, channel ?? 0)) * 255 + 0.5)
        }
        values = (0..<width * height).map { place in
            var alpha = UInt32(samples[4 * place + 3])
            if background == nil { alpha = alpha < 128 ? 0 : 255 }
            if alpha == 0, keepsTransparency { return Self.transparent }
            return (0..<3).reduce(UInt32(0)) { value, channel in
                let mixed = (UInt32(samples[4 * place + channel]) * alpha + behind[channel] * (255 - alpha) + 127) / 255
                return value | mixed << UInt32(8 * channel)
            }
        }
    }

    /// Returns a pixel; those beyond the edges are transparent.
    subscript(x: Int, y: Int) -> UInt32 {
        x < width && y < height ? values[y * width + x] : Self.transparent
    }
}
