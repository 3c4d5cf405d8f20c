import Glibc

/// Two beech leaves in focus before a wood full of blurred lights.
struct AutumnLeaves: Scene {
    private let noise = Noise(97)
    private let lights: [Light]
    private let leaves: [Leaf]
    private let ground = Gradient((0, 0x33401E), (0.4, 0x7A5A1C), (0.75, 0x6B3212), (1, 0x2A1409))

    private struct Light {
        let center: Point
        let radius: Float
        let color: RGB
        let strength: Float
    }

    private struct Leaf {
        let center: Point
        let angle: Float
        let length: Float
        let base: RGB
        let tip: RGB
    }

    init(aspect: Float) {
        let noise = Noise(98)
        let tints: [UInt32] = [0xFFD76A, 0xFF9E2C, 0xE85D1A, 0xF6C14A, 0xA8B23C, 0xFFE9A8]
        lights = (0..<90).map { index in
            let number = Int32(index)
            return Light(
                center: Point(noise.random(number, 1) * aspect, powf(noise.random(number, 2), 1.25)),
                radius: 0.022 + 0.062 * noise.random(number, 3),
                color: RGB(hex: tints[index % tints.count]),
                strength: 0.12 + 0.42 * powf(noise.random(number, 4), 1.5)
            )
        }
        leaves = [
            Leaf(
                center: Point(aspect * 0.36, 0.52),
                angle: -0.62,
                length: 0.62,
                base: RGB(hex: 0xB5260F),
                tip: RGB(hex: 0xF7A21C)
            ),
            Leaf(
                center: Point(aspect * 0.63, 0.57),
                angle: 0.50,
                length: 0.54,
                base: RGB(hex: 0xD97706),
                tip: RGB(hex: 0xFFE14A)
            ),
        ]
    }

    func color(at point: Point) -> RGB {
        for leaf in leaves {
            if let color = color(of: leaf, at: point) { return color }
        }
        var color = ground[clamp(point.y + noise.gradient(point * 1.8) * 0.25)]
        for light in lights {
            let distance = length(point - light.center) / light.radius
            guard distance < 1.05 else { continue }
            let rim = 0.78 + 0.30 * smoothstep(0.7, 0.97, distance)
            color = screen(color, light.color * smoothstep(1.04, 0.96, distance) * rim * light.strength)
        }
        let shadow = leaves.map { leaf in
            expf(-powf(length(point - leaf.center - Point(0.02, 0.05)) / 0.26, 2))
        }.reduce(0, +)
        return color * (1 - 0.35 * clamp(shadow))
    }

    private func color(of leaf: Leaf, at point: Point) -> RGB? {
        let offset = point - leaf.center
        let (sine, cosine) = (sinf(leaf.angle), cosf(leaf.angle))
        // Along the leaf from -1 (stalk) to 1 (tip), and across it, both in halves of its length.
        var along = (offset.x * sine - offset.y * cosine) / (leaf.length / 2)
        var across = (offset.x * cosine + offset.y * sine) / (leaf.length / 2)
        across += 0.09 * sinf(along * 1.8) - 0.02
        along += 0.05 * abs(across)
        if along < -0.9 {
            let isStalk = along > -1.5 && abs(across + 0.10 * (along + 0.9)) < 0.016
            return isStalk ? RGB(hex: 0x6B2A0E) : nil
        }
        guard along < 1 else { return nil }
        let position = (along + 0.9) / 1.9
        let vein = 13 * (position - abs(across) * 0.62)
        let tooth = vein - floorf(vein)
        let width = 0.62 * powf(sinf(.pi * powf(position, 0.82)), 0.8) * (1 - 0.25 * position) + 0.018 * tooth
        guard abs(across) < width else { return nil }
        let mottle = noise.fractal(Point(along, across) * 5 + leaf.length * 20, octaves: 5)
        let edge = smoothstep(width * 0.4, width, abs(across))
        var color = mix(leaf.base, leaf.tip, clamp(position * 0.7 + mottle * 0.8 + 0.28 - edge * 0.42))
        let ribs = smoothstep(0.10, 0.0, min(tooth, 1 - tooth)) * smoothstep(0.0, 0.1, abs(across)) * 0.34
        let midrib = smoothstep(0.022 * (1.2 - position), 0.006, abs(across))
        color = mix(color, leaf.tip * 1.12, max(ribs, midrib * 0.8))
        let fold = (tooth - 0.5) * 0.16 + (across > 0 ? 0.06 : -0.12)
        color *= 1 + fold + mottle * 0.12
        let speck = smoothstep(0.42, 0.62, noise.fractal(point * 34, octaves: 3))
        return mix(color, RGB(hex: 0x4A1A08), speck * 0.6)
    }
}
