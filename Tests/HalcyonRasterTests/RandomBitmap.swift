import HalcyonRaster

/// A small generator whose numbers are the same in every run (Steele, Lea and Flood 2014, SplitMix).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

typealias Pixel = SIMD4<UInt8>

extension Bitmap {
    /// A bitmap whose pixels `pixel` names by column and row; padding is filled with a pattern of no meaning.
    init(_ width: Int, _ height: Int, isOpaque: Bool = false, pixel: (Int, Int) -> Pixel) throws {
        try self.init(size: PixelSize(width, height), isOpaque: isOpaque)
        let bytesPerRow = bytesPerRow
        withUnsafeMutableBytes { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0xA5)
            for y in 0..<height {
                for x in 0..<width {
                    bytes.storeBytes(of: pixel(x, y), toByteOffset: y * bytesPerRow + x * 4, as: Pixel.self)
                }
            }
        }
    }

    /// Noise of valid premultiplied pixels, a quarter of them opaque and a quarter transparent unless all are opaque.
    static func noise(_ width: Int, _ height: Int, seed: UInt64, isOpaque: Bool = false) throws -> Bitmap {
        var random = SplitMix(seed: seed)
        return try Bitmap(width, height, isOpaque: isOpaque) { _, _ in
            let bits = random.next()
            let alpha: UInt8
            switch (isOpaque, bits >> 62) {
            case (true, _), (false, 0): alpha = 255
            case (false, 1): alpha = 0
            default: alpha = UInt8(truncatingIfNeeded: bits >> 24)
            }
            func limited(_ shift: UInt64) -> UInt8 {
                UInt8(UInt16(UInt8(truncatingIfNeeded: bits >> shift)) * UInt16(alpha) / 255)
            }
            return Pixel(limited(0), limited(8), limited(16), alpha)
        }
    }

    /// Rows of pixels without padding.
    var pixels: [[Pixel]] {
        withUnsafeBytes { bytes in
            (0..<height).map { y in
                (0..<width).map { bytes.load(fromByteOffset: y * bytesPerRow + $0 * 4, as: Pixel.self) }
            }
        }
    }

    func pixel(_ x: Int, _ y: Int) -> Pixel {
        withUnsafeBytes { $0.load(fromByteOffset: y * bytesPerRow + x * 4, as: Pixel.self) }
    }

    /// A Boolean value that indicates whether no colour is above its alpha.
    var isPremultiplied: Bool {
        pixels.allSatisfy { row in row.allSatisfy { $0.x <= $0.w && $0.y <= $0.w && $0.z <= $0.w } }
    }

    /// A Boolean value that indicates whether every alpha is 255.
    var hasOpaquePixelsOnly: Bool {
        pixels.allSatisfy { row in row.allSatisfy { $0.w == 255 } }
    }
}
