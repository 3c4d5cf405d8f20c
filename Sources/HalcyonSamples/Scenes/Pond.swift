import Glibc

/// Rain on a pond: rings that spread and fade; one turn of `phase` from 0 to 1 ends where it began.
struct Pond: Scene {
    private let noise = Noise(211)
    private let phase: Float
    private let aspect: Float

    init(aspect: Float, phase: Float) {
        self.aspect = aspect
        self.phase = phase
    }

    func color(at point: Point) -> RGB {
        var height: Float = 0
        for drop in 0..<9 {
            let number = Int32(drop)
            let center = Point(noise.random(number, 1) * aspect, noise.random(number, 2))
            let age = phase + noise.random(number, 3)
            let radius = (age - floorf(age)) * 0.5
            let distance = length(Point(point.x - center.x, (point.y - center.y) * 1.5)) - radius
            height += sinf(distance * 95) * expf(-powf(distance / 0.035, 2)) * (1 - radius * 2)
        }
        let leaf = noise.fractal(point * 2.2 + 4, octaves: 3)
        let base = mix(RGB(hex: 0x0E4A5C), RGB(hex: 0x3FA7A0), clamp(0.5 + leaf + (0.5 - point.y) * 0.6))
        let light = clamp(0.5 + height * 0.5)
        return mix(base * 0.72, screen(base, RGB(hex: 0xCFF3E8) * 0.75), smoothstep(0.35, 1, light))
    }
}
