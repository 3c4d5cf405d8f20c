import Glibc

/// The Milky Way over dark hills, with one lit tent.
struct MilkyWay: Scene {
    private let noise = Noise(37)
    private let sky = Gradient((0, 0x050A1C), (0.45, 0x0D1C3D), (0.72, 0x1F3B5E), (0.84, 0x5B5A63), (0.92, 0xB07A52))
    private let aspect: Float

    init(aspect: Float) {
        self.aspect = aspect
    }

    func color(at point: Point) -> RGB {
        let hill = 0.86 - 0.07 * noise.fractal(Point(point.x * 2.4, 5), octaves: 5)
        if point.y > hill {
            return groundColor(at: point, depth: point.y - hill)
        }
        var color = sky[point.y]
        let along = Point(0.48, -0.877)
        let offset = point - Point(aspect * 0.52, 0.5)
        let across = offset.x * along.y - offset.y * along.x
        let wave = noise.fractal(point * 2.1, octaves: 4) * 0.09
        let band = expf(-powf((across + wave) / 0.17, 2))
        let cloud = clamp(0.55 + noise.fractal(point * 4.2 + 2, octaves: 6) * 0.9)
        let dust =
            smoothstep(0.52, 0.82, noise.ridges(point * 3.4 + 6, octaves: 6)) * expf(-powf((across + wave) / 0.075, 2))
        let core = expf(-powf(length(offset - Point(-0.05, 0.22)) / 0.42, 2))
        color = screen(
            color,
            mix(RGB(hex: 0x5A74B8), RGB(hex: 0xF0B98C), core) * band * cloud * (0.6 + 0.55 * core)
        )
        color = screen(color, RGB(hex: 0xB0568A) * band * cloud * cloud * 0.28)
        color *= 1 - 0.55 * dust * band
        return screen(color, stars(at: point, band: band * (1 - dust)))
    }

    private func stars(at point: Point, band: Float) -> RGB {
        var light = RGB.zero
        for (layer, density) in [Float(38), 90, 210].enumerated() {
            let place = point * density
            let cell = place.rounded(.down)
            let (x, y) = (Int32(cell.x), Int32(cell.y) &+ Int32(layer) &* 1_000)
            let chance = layer == 0 ? 0.22 : 0.18 + 0.55 * band
            guard noise.random(x, y) < chance else { continue }
            let center = cell + 0.25 + 0.5 * Point(noise.random(x, y + 7_001), noise.random(x, y + 9_001))
            let distance = length(place - center) / density
            let magnitude = powf(noise.random(x, y + 3_001), 4)
            let radius = layer == 0 ? 0.0012 + 0.0016 * magnitude : 0.0009
            let warmth = noise.random(x, y + 5_001)
            let tint = mix(RGB(hex: 0xBFD4FF), RGB(hex: 0xFFE2C0), warmth)
            light += tint * expf(-powf(distance / radius, 2)) * (layer == 2 ? 0.45 : 0.5 + magnitude)
        }
        return light
    }

    private func groundColor(at point: Point, depth: Float) -> RGB {
        let grass = noise.fractal(Point(point.x * 30, point.y * 60), octaves: 3)
        var color = mix(RGB(hex: 0x131A22), RGB(hex: 0x04070C), smoothstep(0, 0.1, depth)) * (1 + grass * 0.3)
        let tent = Point(aspect * 0.24, 0.955)
        let offset = point - tent
        let glow = expf(-length(Point(offset.x, offset.y * 1.6)) * 13)
        color = screen(color, RGB(hex: 0xFF9A3C) * glow * 0.7)
        let side = (0.035 + offset.y) * 0.95
        if offset.y > -0.035, offset.y < 0.022, abs(offset.x) < side {
            let seam = smoothstep(0.002, 0.0, abs(offset.x + (offset.y + 0.035) * 0.3))
            color =
                mix(RGB(hex: 0xFFC766), RGB(hex: 0xE8702A), clamp((offset.y + 0.035) / 0.06)) * (1 - 0.35 * seam)
        }
        return color
    }
}
