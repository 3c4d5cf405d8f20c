import Glibc

/// Snowy peaks and a line of forest, mirrored in a turquoise lake.
struct MountainLake: Scene {
    private let noise = Noise(53)
    private let shore: Float = 0.56
    private let sky = Gradient((0, 0x2465B0), (0.3, 0x6FA9DC), (0.56, 0xD6E8F2))

    func color(at point: Point) -> RGB {
        guard point.y > shore else { return landColor(at: point) }
        let depth = point.y - shore
        let swell = Point(point.x * 5, depth * 150 / (0.35 + depth * 2.2))
        let shift = noise.fractal(swell, octaves: 3) * (0.004 + depth * 0.045)
        let mirror = landColor(at: Point(point.x + shift * 0.7, shore - depth * 0.93 + shift))
        let bed = mix(RGB(hex: 0x1E7F86), RGB(hex: 0x0B3F55), smoothstep(0, 0.44, depth))
        let stones = clamp(noise.fractal(Point(point.x * 26, depth * 60), octaves: 4) + 0.5)
        let clear = smoothstep(0.22, 0.44, depth)
        let water = mix(bed, mix(RGB(hex: 0x17606A), RGB(hex: 0x8FA894), stones), clear * 0.5)
        let glint = smoothstep(0.36, 0.6, noise.fractal(swell * 1.7 + 9, octaves: 3)) * 0.22
        return mix(water, mirror, mix(0.82, 0.46, smoothstep(0, 0.44, depth))) + glint
    }

    private func landColor(at point: Point) -> RGB {
        if let color = forestColor(at: point) { return color }
        if let color = mountainColor(at: point) { return color }
        let cloud = noise.fractal(Point(point.x * 2.2 + 1, point.y * 4.6), octaves: 6)
        let cover = smoothstep(0.02, 0.42, cloud) * smoothstep(0.0, 0.16, point.y)
        let shade = mix(RGB(hex: 0xFFFFFF), RGB(hex: 0xBFCFDF), smoothstep(0.2, 0.6, cloud))
        return mix(sky[point.y], shade, cover * 0.9)
    }

    private func forestColor(at point: Point) -> RGB? {
        for row in 0..<2 {
            let isNear = row == 1
            let rise: Float = isNear ? 0.018 : 0.05
            let edge = shore - rise - 0.03 * noise.fractal(Point(point.x * 3, Float(row) * 9 + 2), octaves: 3)
            let cells: Float = isNear ? 70 : 105
            var top: Float = 0
            for neighbour in -1...1 {
                let tree = Int32(floorf(point.x * cells)) + Int32(neighbour)
                let center = (Float(tree) + noise.random(tree, Int32(row))) / cells
                let height = 0.6 + 0.7 * noise.random(tree, Int32(row) + 20)
                top = max(top, height - abs(point.x - center) * cells * 1.15)
            }
            let outline = edge - top * (isNear ? 0.045 : 0.028)
            if isNear == false, point.y > outline, point.y < nearOutline(at: point.x) {
                return mix(RGB(hex: 0x2E5B50), RGB(hex: 0x17382F), smoothstep(outline, shore, point.y))
            }
            if isNear, point.y > outline {
                let light = noise.fractal(Point(point.x * 90, point.y * 40), octaves: 2) * 0.25
                return mix(RGB(hex: 0x2D5A30), RGB(hex: 0x0E2418), smoothstep(outline, shore, point.y))
                    * (1 + light)
            }
        }
        return nil
    }

    private func nearOutline(at x: Float) -> Float {
        shore - 0.012 - 0.03 * noise.fractal(Point(x * 3, 11), octaves: 3)
    }

    private func mountainColor(at point: Point) -> RGB? {
        for layer in [1, 0] {
            let place = Point(point.x * (layer == 1 ? 1.25 : 1.7) + Float(layer) * 4.2, Float(layer) * 2 + 0.4)
            let crest =
                (layer == 1 ? 0.51 : 0.43) - (layer == 1 ? 0.34 : 0.3) * (noise.ridges(place, octaves: 7) - 0.35)
            guard point.y > crest else { continue }
            let height = crest - point.y
            let face = noise.ridges(Point(point.x * 3.4 + point.y * 1.6, point.y * 2.6) + Float(layer), octaves: 6)
            let beside = noise.ridges(
                Point(point.x * 3.4 + 0.05 + point.y * 1.6, point.y * 2.6) + Float(layer),
                octaves: 6
            )
            let light = clamp(0.55 + (face - beside) * 2.6)
            let rock = mix(RGB(hex: 0x3C4A5E), RGB(hex: 0xA59B90), light)
            let snow = mix(RGB(hex: 0x8FABCF), RGB(hex: 0xFFFDF8), light)
            let line = -0.13 + (face - 0.45) * 0.42
            let color = mix(rock, snow, smoothstep(line - 0.02, line + 0.03, height))
            return mix(color, RGB(hex: 0xA9C4DC), layer == 1 ? smoothstep(0, -0.3, height) * 0.4 : 0.38)
        }
        return nil
    }
}
