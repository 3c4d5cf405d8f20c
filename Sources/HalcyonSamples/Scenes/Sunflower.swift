import Glibc

/// A sunflower cut out of its background; its florets stand at the golden angle (Vogel 1979).
struct Sunflower: Scene {
    private let noise = Noise(131)
    private let center = Point(0.5, 0.5)
    private let discRadius: Float = 0.235
    private let petalRadius: Float = 0.485
    private let floretSpacing: Float = 0.0088
    private let petalRows = [
        PetalRow(count: 21, turn: 0.13, reach: 1),
        PetalRow(count: 21, turn: 0.285, reach: 0.93),
        PetalRow(count: 17, turn: 0.04, reach: 0.8),
    ]

    private struct PetalRow {
        let count: Float
        let turn: Float
        let reach: Float
    }

    private struct Petal {
        let along: Float
        let across: Float
        let number: Float
    }

    func coverage(at point: Point) -> Float {
        let offset = point - center
        let radius = length(offset)
        if radius < discRadius { return 1 }
        return petalRows.contains { petal(at: offset, radius: radius, row: $0) != nil } ? 1 : 0
    }

    func color(at point: Point) -> RGB {
        let offset = point - center
        let radius = length(offset)
        if radius < discRadius { return discColor(at: offset, radius: radius) }
        for (index, row) in petalRows.enumerated().reversed() {
            guard let petal = petal(at: offset, radius: radius, row: row) else { continue }
            let streak = noise.gradient(Point(petal.across * 9, petal.along * 2 + petal.number * 7))
            var color = mix(RGB(hex: 0xD9760B), RGB(hex: 0xFFD21F), smoothstep(0, 0.55, petal.along))
            color = mix(color, RGB(hex: 0xFFF08A), smoothstep(0.5, 1, petal.along) * 0.5)
            let bulge = 0.22 * petal.across * petal.across
            let layer = Float(2 - index) * 0.10
            color *= Float(1) + streak * 0.10 - bulge - layer
            let shade = 1 - 0.5 * smoothstep(discRadius + 0.05, discRadius, radius)
            let rib = 1 - 0.25 * smoothstep(0.14, 0, abs(petal.across)) * (1 - petal.along)
            return color * (shade * rib)
        }
        return .zero
    }

    private func petal(at offset: Point, radius: Float, row: PetalRow) -> Petal? {
        let turn = (atan2f(offset.y, offset.x) / (2 * .pi) + 1 + row.turn) * row.count
        let number = floorf(turn)
        let wobble = noise.random(Int32(number), Int32(row.turn * 1_000))
        let along = (radius - discRadius * 0.8) / ((petalRadius * row.reach - 0.03 * wobble) - discRadius * 0.8)
        guard along > 0, along < 1 else { return nil }
        let across = (turn - number - 0.5) * 2 + 0.12 * sinf(along * 3 + wobble * 6)
        let width = (0.55 + 0.52 * sinf(along * 2.4)) * powf(1 - powf(along, 4), 0.6)
        return abs(across) < width ? Petal(along: along, across: across / width, number: number) : nil
    }

    private func discColor(at offset: Point, radius: Float) -> RGB {
        let share = radius / discRadius
        let goldenAngle: Float = 2.399_963_2
        let middle = Int((radius / floretSpacing) * (radius / floretSpacing))
        let spread = Int(radius / floretSpacing * 2.6) + 4
        var nearest: Float = .infinity
        for number in max(0, middle - spread)...(middle + spread) {
            let distance = floretSpacing * Float(number).squareRoot()
            let angle = Float(number) * goldenAngle
            nearest = min(nearest, length(offset - Point(cosf(angle), sinf(angle)) * distance))
        }
        let dome = clamp(1 - nearest / (floretSpacing * 1.0))
        let base = mix(RGB(hex: 0x5C4A12), RGB(hex: 0x2B1206), smoothstep(0.1, 0.6, share))
        let top = mix(RGB(hex: 0xB8A23A), RGB(hex: 0xC96A12), smoothstep(0.25, 0.9, share))
        let color = mix(base * 0.55, top, dome * dome)
        return color * (1 - 0.35 * smoothstep(0.35, 0.62, share) * smoothstep(0.95, 0.62, share))
    }
}
