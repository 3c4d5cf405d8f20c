import Glibc

/// Conifers in morning fog, row behind row, with light falling in from above.
struct FoggyForest: Scene {
    private let noise = Noise(71)
    private let aspect: Float
    private let fog = Gradient((0, 0xF9E4B4), (0.3, 0xE6DDBF), (0.6, 0xA9C0B8), (1, 0x4F7478))

    init(aspect: Float) {
        self.aspect = aspect
    }

    func color(at point: Point) -> RGB {
        var color = fog[point.y]
        for row in 0..<7 {
            let share = Float(row) / 6
            let base = 0.52 + 0.50 * share
            let drift = noise.fractal(Point(point.x * 2.2 + Float(row) * 3, point.y * 5), octaves: 4)
            let ground = base + 0.04 * noise.fractal(Point(point.x * 2.4, Float(row) * 4), octaves: 3)
            let tree = treeCover(at: point, ground: ground, row: row, share: share)
            let dark = mix(RGB(hex: 0xB9C8BC), RGB(hex: 0x05201F), powf(share, 0.6))
            let mist = smoothstep(ground - 0.30, ground + 0.02, point.y + drift * 0.1) * (1 - 0.62 * share)
            color = mix(
                color,
                mix(dark, fog[point.y], mist * 0.9),
                max(tree, smoothstep(-0.004, 0.004, point.y - ground))
            )
        }
        let ray = noise.gradient(Point((point.x + point.y * 0.55) * 5, 2)) * 0.5 + 0.5
        let sun = expf(-length(point - Point(aspect * 0.25, -0.05)) * 1.7)
        return screen(color, RGB(hex: 0xFFE2A0) * (sun * 0.6 + ray * ray * sun * 0.9))
    }

    private func treeCover(at point: Point, ground: Float, row: Int, share: Float) -> Float {
        let cells = mix(17, 3.6, share)
        let seed = Int32(row) * 40
        var cover: Float = 0
        for neighbour in -2...2 {
            let tree = Int32(floorf(point.x * cells)) + Int32(neighbour)
            let height = mix(0.20, 0.74, share) * (0.65 + 0.5 * noise.random(tree, seed))
            let center = (Float(tree) + 0.15 + 0.7 * noise.random(tree, seed + 1)) / cells
            let level = (ground - point.y) / height
            guard level > -0.05, level < 1 else { continue }
            let down = 1 - level
            let boughs = 9 + 5 * noise.random(tree, seed + 2)
            let side: Float = point.x < center ? 1 : 2
            let phase = down * boughs + 0.5 * noise.random(tree, seed + Int32(side) + 4)
            let bough = phase - floorf(phase)
            let ragged = noise.gradient(Point(point.x * 120 / (0.4 + share), point.y * 90)) * 0.012 * (0.3 + share)
            let spread = height * 0.20 * powf(down, 0.85) * (0.42 + 0.58 * bough) + ragged
            let isClear = level < 0.06
            let width = isClear ? height * 0.012 : max(spread, height * 0.006)
            cover = max(cover, smoothstep(0.004, -0.002, abs(point.x - center) - width))
        }
        return cover
    }
}
