import Glibc

/// A lighthouse on a rock after sunset, its beam reaching over the sea.
struct Lighthouse: Scene {
    private let noise = Noise(151)
    private let aspect: Float
    private let tower: Float
    private let horizon: Float = 0.74
    private let lamp: Float = 0.235
    private let sky = Gradient((0, 0x14234F), (0.3, 0x3A4E8C), (0.5, 0x9C6FA0), (0.64, 0xF0907A), (0.74, 0xFFCF8F))

    init(aspect: Float) {
        self.aspect = aspect
        tower = aspect * 0.58
    }

    func color(at point: Point) -> RGB {
        if let color = buildingColor(at: point) { return lit(color, at: point, by: 0.2) }
        if let color = rockColor(at: point) { return color }
        return point.y > horizon ? seaColor(at: point) : lit(skyColor(at: point), at: point, by: 1)
    }

    private func skyColor(at point: Point) -> RGB {
        let cloud = noise.fractal(Point(point.x * 2.3, point.y * 6.5), octaves: 5)
        let color = mix(
            sky[point.y],
            RGB(hex: 0xE98A86),
            smoothstep(0.05, 0.45, cloud) * 0.6 * smoothstep(0.1, 0.5, point.y)
        )
        let cell = (point * 70).rounded(.down)
        let isStar = noise.random(Int32(cell.x), Int32(cell.y)) < 0.10
        let distance = length(point * 70 - cell - 0.5)
        return color + (isStar ? smoothstep(0.11, 0, distance) * smoothstep(0.4, 0, point.y) * 0.8 : 0)
    }

    private func lit(_ color: RGB, at point: Point, by strength: Float) -> RGB {
        let offset = point - Point(tower, lamp)
        let radius = length(offset)
        let glow = expf(-radius * 16) * 0.9 + expf(-radius * 5) * 0.25
        let beam = offset.x < 0 ? smoothstep(0.16, 0, abs(offset.y / offset.x + 0.10)) * expf(offset.x * 1.5) * 0.55 : 0
        let back = offset.x > 0 ? smoothstep(0.16, 0, abs(offset.y / offset.x + 0.10)) * expf(-offset.x * 3) * 0.3 : 0
        return screen(color, RGB(hex: 0xFFE9B0) * (glow + beam + back) * strength)
    }

    private func seaColor(at point: Point) -> RGB {
        let depth = point.y - horizon
        let swell = Point(point.x * 7, depth * 90 / (0.2 + depth * 3))
        let wave = noise.fractal(swell, octaves: 4)
        let mirror = sky[horizon - depth * 1.7 + wave * 0.12]
        let deep = mix(RGB(hex: 0x3D4A78), RGB(hex: 0x0D1B38), smoothstep(0, 0.26, depth))
        let path = expf(-powf((point.x - tower * 0.55) / 0.16, 2)) * smoothstep(0.1, 0.4, wave) * 0.5
        return screen(mix(deep, mirror, clamp(0.45 + wave * 0.7) * (1 - depth)), RGB(hex: 0xFFD9A0) * path)
    }

    private func rockColor(at point: Point) -> RGB? {
        let hill = expf(-powf((point.x - tower - 0.02) / 0.26, 2))
        let rough = noise.fractal(Point(point.x * 6, 3), octaves: 5)
        let edge = 0.93 - 0.24 * hill - 0.05 * rough
        guard point.y > edge else { return nil }
        let face = noise.ridges(Point(point.x * 7 + point.y * 3, point.y * 9), octaves: 5)
        let light = clamp((face - 0.35) * 1.5 - (point.x - tower) * 0.6)
        let color = mix(RGB(hex: 0x120F1C), RGB(hex: 0x8C5F66), light)
        let foam =
            smoothstep(0.03, 0, abs(point.y - 0.955 - 0.03 * rough))
            * clamp(noise.fractal(point * 18, octaves: 4) + 0.55)
        return mix(color, RGB(hex: 0xD9C9D6), foam * 0.6)
    }

    private func buildingColor(at point: Point) -> RGB? {
        let offset = point.x - tower
        let foot: Float = 0.72
        if point.y > 0.275, point.y < foot {
            let half = mix(0.034, 0.062, (point.y - 0.275) / (foot - 0.275))
            guard abs(offset) < half else { return houseColor(at: point) }
            let round = offset / half
            let band = (point.y - 0.275 + round * round * 0.006) / (foot - 0.275) * 5
            let isRed = Int(band) % 2 == 0
            let paint = isRed ? RGB(hex: 0xC4262A) : RGB(hex: 0xF4E9DC)
            let isWindow = abs(round) < 0.22 && abs(band - floorf(band) - 0.5) < 0.13 && !isRed
            let shade = mix(1.0, 0.36, smoothstep(-0.35, 1, round)) * mix(0.75, 1, smoothstep(-1, -0.5, round))
            return isWindow ? RGB(hex: 0xFFC860) : paint * shade
        }
        if point.y > 0.262, point.y <= 0.275, abs(offset) < 0.05 { return RGB(hex: 0x1C1622) }
        if point.y > 0.21, point.y <= 0.262, abs(offset) < 0.026 {
            let bar = abs(offset / 0.026 * 2.5 - (offset / 0.026 * 2.5).rounded()) < 0.07
            return bar ? RGB(hex: 0x2A2028) : RGB(hex: 0xFFF3C4)
        }
        if point.y > 0.172, point.y <= 0.21, abs(offset) < (point.y - 0.172) * 0.85 + 0.002 {
            return RGB(hex: 0xA31E22) * mix(1, 0.5, smoothstep(-0.02, 0.03, offset))
        }
        return houseColor(at: point)
    }

    private func houseColor(at point: Point) -> RGB? {
        let offset = point - Point(tower + 0.155, 0.70)
        let roof = -0.10 + abs(offset.x) * 0.62
        guard abs(offset.x) < 0.09, offset.y > roof, offset.y < 0.05 else { return nil }
        if offset.y < -0.042 { return RGB(hex: 0x5E2A30) }
        let isWindow = abs(abs(offset.x) - 0.042) < 0.016 && abs(offset.y + 0.008) < 0.017
        return isWindow ? RGB(hex: 0xFFD070) : RGB(hex: 0xB9A2A4) * mix(1, 0.6, smoothstep(-0.09, 0.09, offset.x))
    }
}
