import Glibc

/// Northern lights over snowy hills.
struct Aurora: Scene {
    private let noise = Noise(173)
    private let sky = Gradient((0, 0x050B1F), (0.5, 0x0B2238), (0.78, 0x15404C))

    func color(at point: Point) -> RGB {
        let crest = 0.80 - 0.16 * (noise.ridges(Point(point.x * 1.5, 2), octaves: 6) - 0.4)
        guard point.y > crest else { return skyColor(at: point) }
        let snow = noise.fractal(Point(point.x * 5 - point.y * 4, point.y * 9), octaves: 5)
        let beside = noise.fractal(Point(point.x * 5 - point.y * 4 + 0.08, point.y * 9), octaves: 5)
        let light = clamp(0.4 + (snow - beside) * 2.4)
        let color = mix(RGB(hex: 0x12283C), RGB(hex: 0x7FC7B8), light * 0.8)
        return mix(color, RGB(hex: 0x081522), smoothstep(0.02, 0.26, point.y - crest))
    }

    private func skyColor(at point: Point) -> RGB {
        var color = sky[point.y]
        let cell = (point * 95).rounded(.down)
        let (x, y) = (Int32(cell.x), Int32(cell.y))
        if noise.random(x, y) < 0.2 {
            let distance = length(point * 95 - cell - 0.3 - 0.4 * noise.random(x, y + 1_000))
            color += smoothstep(0.13, 0, distance) * (0.3 + 0.7 * noise.random(x, y + 2_000))
        }
        for curtain in 0..<3 {
            color = screen(color, curtainLight(at: point, number: Float(curtain)))
        }
        return color
    }

    private func curtainLight(at point: Point, number: Float) -> RGB {
        let fold = noise.fractal(Point(point.x * 1.15 + number * 11, number * 5), octaves: 3)
        let foot = 0.60 - number * 0.13 + fold * 0.34
        let rise = foot - point.y
        let shear = point.x + rise * 0.12 * sinf(number + 1)
        let ray = 0.5 + 0.9 * noise.fractal(Point(shear * 13, number * 9 + 2), octaves: 4)
        let reach = 0.18 + 0.22 * clamp(ray)
        let body = smoothstep(-0.018, 0.012, rise) * expf(-max(rise, 0) / reach * 1.5)
        let drift = clamp(0.55 + noise.gradient(Point(point.x * 1.4 + number * 3, 7)) * 0.9)
        let tint = mix(RGB(hex: 0x38F5A0), RGB(hex: 0x8A4FE8), smoothstep(0.04, 0.34, rise))
        let hem = smoothstep(0.05, 0, abs(rise)) * 0.35
        return tint * (body * (0.35 + 0.75 * clamp(ray)) + hem * body) * drift * (1.05 - number * 0.22)
    }
}
