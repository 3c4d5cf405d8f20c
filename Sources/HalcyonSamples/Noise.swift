import Glibc

/// Smooth random fields of a fixed seed: the same seed draws the same image on every machine.
struct Noise: Sendable {
    let seed: UInt32

    init(_ seed: UInt32) {
        self.seed = seed
    }

    /// A number from 0 up to 1 for a whole place, without any relation between neighbours.
    @inline(__always)
    func random(_ x: Int32, _ y: Int32 = 0) -> Float {
        Float(bits(x, y) >> 8) * (1 / 16_777_216)
    }

    /// Gradient noise (Perlin 2002, "Improving Noise"): about -1 to 1, 0 at whole places.
    @inline(__always)
    func gradient(_ point: Point) -> Float {
        let floor = point.rounded(.down)
        let x = Int32(floor.x)
        let y = Int32(floor.y)
        let offset = point - floor
        let fade = offset * offset * offset * (offset * (offset * 6 - 15) + 10)
        let topLeft = slope(x, y, offset)
        let topRight = slope(x &+ 1, y, offset - Point(1, 0))
        let bottomLeft = slope(x, y &+ 1, offset - Point(0, 1))
        let bottomRight = slope(x &+ 1, y &+ 1, offset - Point(1, 1))
        let top = topLeft + (topRight - topLeft) * fade.x
        let bottom = bottomLeft + (bottomRight - bottomLeft) * fade.x
        return (top + (bottom - top) * fade.y) * 1.4
    }

    /// Octaves of gradient noise, each of half the size and half the strength of the one before: about -1 to 1.
    func fractal(_ point: Point, octaves: Int) -> Float {
        var sum: Float = 0
        var strength: Float = 0.5
        var place = point
        for _ in 0..<octaves {
            sum += strength * gradient(place)
            // A turn between octaves hides the lattice.
            place = Point(place.x * 1.62 - place.y * 1.18, place.x * 1.18 + place.y * 1.62) + 17.3
            strength *= 0.5
        }
        return sum
    }

    /// The same with sharp crests where the noise passes through zero: 0 to about 1.
    func ridges(_ point: Point, octaves: Int) -> Float {
        var sum: Float = 0
        var strength: Float = 0.5
        var place = point
        for _ in 0..<octaves {
            let crest = 1 - abs(gradient(place))
            sum += strength * crest * crest
            place = Point(place.x * 1.62 - place.y * 1.18, place.x * 1.18 + place.y * 1.62) + 9.1
            strength *= 0.5
        }
        return sum
    }

    @inline(__always)
    private func slope(_ x: Int32, _ y: Int32, _ offset: Point) -> Float {
        let bits = bits(x, y)
        let horizontal = Float(Int32(bits & 0xFFFF) - 0x8000) * (1 / 32_768)
        let vertical = Float(Int32(bits >> 16) - 0x8000) * (1 / 32_768)
        return horizontal * offset.x + vertical * offset.y
    }

    @inline(__always)
    private func bits(_ x: Int32, _ y: Int32) -> UInt32 {
        var bits = UInt32(bitPattern: x) &* 0x9E37_79B1
        bits ^= UInt32(bitPattern: y) &* 0x85EB_CA77
        bits ^= seed &* 0xC2B2_AE3D
        bits = (bits ^ (bits >> 15)) &* 0x2C1B_3C6D
        bits = (bits ^ (bits >> 12)) &* 0x297A_2D39
        return bits ^ (bits >> 15)
    }
}
