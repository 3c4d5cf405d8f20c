/// Gives each pixel the nearest colour of a palette and hands its error on to its neighbours (Floyd and Steinberg
/// 1976).
struct GIFDitherer {
    private let palette: [(red: Int, green: Int, blue: Int)]
    /// The nearest colour for each value of the upper five bits, found when first needed.
    private var nearest = [Int16](repeating: -1, count: 1 << 15)

    /// A ditherer for 1 to 256 colours.
    init(palette: [UInt32]) {
        self.palette = palette.map { (Int($0 & 0xFF), Int($0 >> 8 & 0xFF), Int($0 >> 16 & 0xFF)) }
    }

    /// Writes an index for each pixel; transparent ones get 0 and take no part.
    mutating func write(
        _ pixels: UnsafeBufferPointer<UInt32>,
        width: Int,
        to indices: UnsafeMutableBufferPointer<UInt8>
    ) {
        indices.update(repeating: 0)
        // Errors in sixteenths, three for each pixel, with one pixel more at both ends.
        var current = [Int](repeating: 0, count: 3 * (width + 2))
        var below = current
        for start in stride(from: 0, to: pixels.count, by: width) {
            for x in 0..<width where pixels[start + x] != GIFIndexedImage.transparent {
                let place = 3 * (x + 1)
                let pixel = pixels[start + x]
                let red = GIFDitherer.clamped(Int(pixel & 0xFF), current[place])
                let green = GIFDitherer.clamped(Int(pixel >> 8 & 0xFF), current[place + 1])
                let blue = GIFDitherer.clamped(Int(pixel >> 16 & 0xFF), current[place + 2])
                let index = nearestIndex(red, green, blue)
                indices[start + x] = UInt8(index)
                let color = palette[index]
                let errors = (red - color.red, green - color.green, blue - color.blue)
                GIFDitherer.spread(errors.0, at: place, &current, &below)
                GIFDitherer.spread(errors.1, at: place + 1, &current, &below)
                GIFDitherer.spread(errors.2, at: place + 2, &current, &below)
            }
            swap(&current, &below)
            for place in below.indices {
                below[place] = 0
            }
        }
    }

    private static func clamped(_ value: Int, _ error: Int) -> Int {
        min(255, max(0, value + (error + 8) >> 4))
    }

    private static func spread(_ error: Int, at place: Int, _ current: inout [Int], _ below: inout [Int]) {
        current[place + 3] += error * 7
        below[place - 3] += error * 3
        below[place] += error * 5
        below[place + 3] += error
    }

    private mutating func nearestIndex(_ red: Int, _ green: Int, _ blue: Int) -> Int {
        let key = red >> 3 | (green >> 3) << 5 | (blue >> 3) << 10
        if nearest[key] >= 0 {
            return Int(nearest[key])
        }
        // The middle of the five-bit cell stands for all of it.
        let middle = (red: red & ~7 | 4, green: green & ~7 | 4, blue: blue & ~7 | 4)
        var best = 0
        var least = Int.max
        for (index, color) in palette.enumerated() {
            let distances = (color.red - middle.red, color.green - middle.green, color.blue - middle.blue)
            let distance = distances.0 * distances.0 + distances.1 * distances.1 + distances.2 * distances.2
            if distance < least {
                least = distance
                best = index
            }
        }
        nearest[key] = Int16(best)
        return best
    }
}
