import Glibc

/// Mountain ranges behind each other at dusk, each paler than the one before it.
struct DuskRidges: Scene {
    private let noise: Noise
    private let sun: Point
    private let layers: [Layer]
    private let sky = Gradient(
        (0, 0x1B2A4E),
        (0.22, 0x4A4A7C),
        (0.38, 0xA0648A),
        (0.5, 0xE88A7A),
        (0.6, 0xFFC187),
        (0.7, 0xFFE3B0)
    )

    private struct Layer {
        let base: Float
        let relief: Float
        let scale: Float
        let color: RGB
        let mist: RGB
        let hasTrees: Bool
    }

    init(aspect: Float) {
        noise = Noise(11)
        sun = Point(aspect * 0.64, 0.43)
        let far = RGB(hex: 0xD98F8C)
        let near = RGB(hex: 0x10152E)
        let warm = RGB(hex: 0xF2B59A)
        let cool = RGB(hex: 0x3B3F6E)
        layers = (0..<7).map { index in
            let share = Float(index) / 6
            return Layer(
                base: 0.5 + 0.42 * powf(share, 1.25),
                relief: 0.10 + 0.10 * (1 - abs(share - 0.4)),
                scale: 2.3 - 0.9 * share,
                color: mix(far, near, powf(share, 0.7)),
                mist: mix(warm, cool, powf(share, 0.9)),
                hasTrees: index >= 5
            )
        }
    }

    func color(at point: Point) -> RGB {
        for (index, layer) in layers.enumerated().reversed() {
            let depth = point.y - crest(of: layer, index, at: point.x)
            guard depth > 0 else { continue }
            let relief = noise.fractal(Point(point.x * 9, point.y * 14 + Float(index) * 7), octaves: 4)
            let lit = layer.color * (1 + relief * 0.14)
            return mix(lit, layer.mist, smoothstep(0, 0.24, depth) * 0.78)
        }
        return airColor(at: point)
    }

    private func crest(of layer: Layer, _ index: Int, at x: Float) -> Float {
        let place = Point(x * layer.scale + Float(index) * 5.7, Float(index) * 3.1)
        var crest = layer.base - layer.relief * (noise.ridges(place, octaves: 6) - 0.35)
        if layer.hasTrees {
            crest -= trees(at: x * (index == 6 ? 1 : 1.7), seed: Int32(index)) * (index == 6 ? 0.05 : 0.02)
        }
        return crest
    }

    /// The outline of a row of conifers: 0 to 1.
    private func trees(at x: Float, seed: Int32) -> Float {
        var tallest: Float = 0
        let cell = floorf(x * 62)
        for neighbour in -1...1 {
            let tree = Int32(cell) + Int32(neighbour)
            let center = (Float(tree) + 0.2 + 0.6 * noise.random(tree, seed)) / 62
            let height = 0.35 + 0.65 * noise.random(tree, seed + 50)
            let outline = height - abs(x - center) * 62 * 1.5
            let branch = 0.10 * abs(sinf(outline * 34))
            tallest = max(tallest, outline - branch)
        }
        return tallest
    }

    private func airColor(at point: Point) -> RGB {
        var color = sky[point.y]
        let cloud = noise.fractal(Point(point.x * 1.6, point.y * 9 + 3), octaves: 5)
        let band = smoothstep(0.0, 0.35, cloud) * smoothstep(0.5, 0.2, point.y)
        color = mix(color, RGB(hex: 0xF59A86), band * 0.55)
        let distance = length(point - sun)
        color = screen(color, RGB(hex: 0xFFC37A) * expf(-distance * 5) * 0.8)
        return mix(color, RGB(hex: 0xFFF6DC), smoothstep(0.052, 0.049, distance))
    }
}
