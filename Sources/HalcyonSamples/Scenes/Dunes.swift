import Glibc

/// Dunes in low sun: crests with a lit and a shaded side, and wind ripples in the foreground.
struct Dunes: Scene {
    private let noise = Noise(23)
    private let horizon: Float = 0.30
    private let sky = Gradient((0, 0x2F6DA8), (0.18, 0x8DB9CF), (0.30, 0xF6D9AE))
    private let sand = Gradient((0, 0x4A1F1A), (0.3, 0x9A4A22), (0.55, 0xDD8436), (0.8, 0xF7B863), (1, 0xFFE3A6))

    func color(at point: Point) -> RGB {
        let skyline = horizon - 0.05 * height(Point(point.x * 1.1, 40)) - 0.01
        guard point.y > skyline else { return sky[point.y] }
        let distance = 0.16 / (point.y - skyline + 0.05)
        let ground = Point((point.x - 0.75) * (0.5 + distance * 1.5) + 4.3, distance * 3.1 + 1.7)
        let step: Float = 0.02
        let here = height(ground)
        let slope = Point(height(ground + Point(step, 0)) - here, height(ground + Point(0, step)) - here) / step
        var light = 0.50 - slope.x * 0.42 + slope.y * 0.12 + here * 0.16
        light = max(light, 0.16 + light * 0.2)
        let ripple = sinf((ground.y * 92 + ground.x * 26) + noise.fractal(ground * 4, octaves: 3) * 7)
        light += ripple * 0.045 * smoothstep(1.3, 0.4, distance)
        light += noise.gradient(ground * 160) * 0.02 * smoothstep(1.2, 0.3, distance)
        let haze = smoothstep(0.8, 3.2, distance)
        return mix(sand[clamp(light)], RGB(hex: 0xF3CFA0), haze * 0.62)
    }

    /// Smooth hills whose tops are folded into sharp crests.
    private func height(_ place: Point) -> Float {
        let bend = noise.gradient(place * 0.55 + 3) * 0.8
        let wave = noise.gradient(Point(place.x * 0.9 + bend, place.y * 0.55 - bend * 0.6))
        let crest = 1 - abs(wave) * 1.6
        return crest + 0.18 * noise.gradient(place * 1.9 + 8)
    }
}
