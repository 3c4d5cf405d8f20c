import HalcyonRaster

typealias WidePixel = SIMD4<UInt16>

extension Bitmap {
    /// A bitmap of 16 bits a sample whose pixels `pixel` names; padding is filled with a pattern of no meaning.
    init(wide width: Int, _ height: Int, isOpaque: Bool = false, pixel: (Int, Int) -> WidePixel) throws {
        try self.init(size: PixelSize(width, height), isOpaque: isOpaque, depth: .sixteen)
        let bytesPerRow = bytesPerRow
        withUnsafeMutableBytes { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0xA5)
            for y in 0..<height {
                for x in 0..<width {
                    bytes.storeBytes(of: pixel(x, y), toByteOffset: y * bytesPerRow + x * 8, as: WidePixel.self)
                }
            }
        }
    }

    /// Noise of valid premultiplied pixels, a quarter of them opaque and a quarter transparent unless all are opaque.
    static func wideNoise(_ width: Int, _ height: Int, seed: UInt64, isOpaque: Bool = false) throws -> Bitmap {
        var random = SplitMix(seed: seed)
        return try Bitmap(wide: width, height, isOpaque: isOpaque) { _, _ in
            let bits = random.next()
            let kind = random.next() >> 62
            let alpha: UInt32
            switch (isOpaque, kind) {
            case (true, _), (false, 0): alpha = 65_535
            case (false, 1): alpha = 0
            default: alpha = UInt32(truncatingIfNeeded: bits >> 48)
            }
            func limited(_ shift: UInt64) -> UInt16 {
                UInt16(UInt32(UInt16(truncatingIfNeeded: bits >> shift)) * alpha / 65_535)
            }
            return WidePixel(limited(0), limited(16), limited(32), UInt16(alpha))
        }
    }

    /// Rows of pixels of 16 bits a sample without padding.
    var widePixels: [[WidePixel]] {
        precondition(depth == .sixteen)
        return withUnsafeBytes { bytes in
            (0..<height).map { y in
                (0..<width).map { bytes.load(fromByteOffset: y * bytesPerRow + $0 * 8, as: WidePixel.self) }
            }
        }
    }

    /// All samples in rows, as numbers, whatever the depth.
    var samples: [Double] {
        switch depth {
        case .eight: pixels.joined().flatMap { [Double($0.x), Double($0.y), Double($0.z), Double($0.w)] }
        case .sixteen: widePixels.joined().flatMap { [Double($0.x), Double($0.y), Double($0.z), Double($0.w)] }
        }
    }
}
