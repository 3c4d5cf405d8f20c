internal import HalcyonRaster

/// The colours of an image that has 256 at most, and their numbers.
struct PNGPalette {
    /// Premultiplied pixels, those that are not opaque first, because the list of alphas ends with the last of them.
    let colors: [UInt32]
    private let numbers: [UInt8]
    private let keys: [UInt32]

    /// Places of the hash table; four times as many as colours, so that few share one.
    private static let placeCount = 1024
    /// The one pixel that no bitmap has: colours above their alpha.
    private static let none: UInt32 = 0x00FF_FFFF

    /// `nil` for a bitmap of more than 256 colours or of 16 bits. Stops at the 257th colour.
    init?(_ bitmap: Bitmap) {
        guard bitmap.depth == .eight else {
            return nil
        }
        var keys = [UInt32](repeating: Self.none, count: Self.placeCount)
        var colors: [UInt32] = []
        let isComplete = bitmap.withUnsafeBytes { bytes in
            var last = Self.none
            for y in 0..<bitmap.height {
                for x in 0..<bitmap.width {
                    let pixel = bytes.loadUnaligned(fromByteOffset: y * bitmap.bytesPerRow + 4 * x, as: UInt32.self)
                    guard pixel != Self.none else {
                        return false
                    }
                    guard pixel != last else {
                        continue
                    }
                    last = pixel
                    let place = Self.place(of: pixel, in: keys)
                    if keys[place] == pixel {
                        continue
                    }
                    guard colors.count < 256 else {
                        return false
                    }
                    keys[place] = pixel
                    colors.append(pixel)
                }
            }
            return true
        }
        guard isComplete else {
            return nil
        }
        let sorted = colors.filter { !Self.isOpaque($0) } + colors.filter(Self.isOpaque)
        var numbers = [UInt8](repeating: 0, count: Self.placeCount)
        for (number, color) in sorted.enumerated() {
            numbers[Self.place(of: color, in: keys)] = UInt8(number)
        }
        self.colors = sorted
        self.numbers = numbers
        self.keys = keys
    }

    /// 1, 2, 4 or 8.
    var bitDepth: Int { [1, 2, 4].first { 1 << $0 >= colors.count } ?? 8 }

    /// A Boolean value that indicates whether every colour is an opaque shade of grey.
    var isGray: Bool {
        colors.allSatisfy { color in
            let samples = Self.samples(of: color)
            return samples[0] == samples[1] && samples[1] == samples[2] && samples[3] == 255
        }
    }

    /// The payload of PLTE: straight red, green and blue of each colour.
    var entries: [UInt8] {
        colors.flatMap { color in
            let samples = Self.samples(of: color)
            let alpha = Int(samples[3])
            return samples[..<3].map { alpha == 0 ? 0 : UInt8(min(255, (Int($0) * 255 + alpha / 2) / alpha)) }
        }
    }

    /// The payload of tRNS: the alphas up to the last that is not 255; empty where all are.
    var alphas: [UInt8] {
        colors.prefix { !Self.isOpaque($0) }.map { Self.samples(of: $0)[3] }
    }

    /// Writes the numbers of a row's pixels, packed into bytes from the highest bits on (PNG, 7.2).
    func write(_ source: UnsafePointer<UInt8>, width: Int, to target: UnsafeMutablePointer<UInt8>) {
        let depth = bitDepth
        let pixels = UnsafeRawPointer(source)
        var last = colors[0]
        var number: UInt8 = 0
        var accumulator: UInt8 = 0
        var bitCount = 0
        var written = 0
        for x in 0..<width {
            let pixel = pixels.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
            if pixel != last {
                last = pixel
                number = numbers[Self.place(of: pixel, in: keys)]
            }
            accumulator = accumulator &<< UInt8(truncatingIfNeeded: depth) | number
            bitCount &+= depth
            if bitCount == 8 {
                target[written] = accumulator
                written &+= 1
                accumulator = 0
                bitCount = 0
            }
        }
        if bitCount > 0 {
            target[written] = accumulator &<< UInt8(truncatingIfNeeded: 8 - bitCount)
        }
    }

    /// Returns the place at which a pixel is or would be. There are always empty places.
    private static func place(of pixel: UInt32, in keys: [UInt32]) -> Int {
        // Multiplicative hashing (Knuth, The Art of Computer Programming, 6.4), the upper 10 bits.
        var place = Int((pixel &* 2_654_435_769) >> 22)
        while keys[place] != pixel, keys[place] != none {
            place = (place + 1) & (placeCount - 1)
        }
        return place
    }

    private static func isOpaque(_ pixel: UInt32) -> Bool { samples(of: pixel)[3] == 255 }

    private static func samples(of pixel: UInt32) -> [UInt8] {
        withUnsafeBytes(of: pixel) { Array($0) }
    }
}
