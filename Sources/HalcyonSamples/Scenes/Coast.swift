import Glibc

/// A beach seen from above: surf running up on sand, and parasols.
struct Coast: Scene {
    private let noise = Noise(191)
    private let water = Gradient((0, 0xBFEFE0), (0.10, 0x6FDCCB), (0.3, 0x1FB0B4), (0.6, 0x0C7699), (1, 0x0A4A78))

    func color(at point: Point) -> RGB {
        let bend = noise.fractal(point * 1.4, octaves: 3) * 0.16
        let out = (point.x - 0.02) * 0.72 + (point.y - 0.5) * 0.52 - 0.28 + bend
        var color = out > 0 ? seaColor(at: point, out: out) : sandColor(at: point, out: out)
        for (index, reach) in [Float(0.012), 0.085, 0.17].enumerated() {
            let edge = out - reach - 0.02 * noise.fractal(point * 7 + Float(index) * 4, octaves: 4)
            let lace = clamp(0.62 + noise.ridges(point * 19 + Float(index), octaves: 4) * 0.9 - 0.42)
            let trail = smoothstep(-0.003, 0.002, edge) * expf(-max(edge, 0) * (index == 0 ? 55 : 30))
            color = mix(color, RGB(hex: 0xFFFFFF), trail * lace * (1.1 - Float(index) * 0.2))
        }
        return parasols(over: color, at: point)
    }

    private func seaColor(at point: Point, out: Float) -> RGB {
        let reef = smoothstep(0.05, 0.4, noise.fractal(point * 3.2 + 5, octaves: 5)) * smoothstep(0.1, 0.3, out)
        let ripple = noise.ridges(Point(point.x * 16 + point.y * 6, point.y * 16), octaves: 3) - 0.5
        return mix(water[out * 1.15], RGB(hex: 0x0B5A72), reef * 0.55) * (1 + ripple * 0.16)
    }

    private func sandColor(at point: Point, out: Float) -> RGB {
        let grainy = noise.fractal(point * 70, octaves: 3) * 0.05 + noise.fractal(point * 6, octaves: 4) * 0.07
        let wet = smoothstep(-0.06, -0.004, out + noise.fractal(point * 5, octaves: 3) * 0.03)
        return mix(RGB(hex: 0xF3DDB0), RGB(hex: 0xC9A878), wet) * (1 + grainy)
    }

    private func parasols(over color: RGB, at point: Point) -> RGB {
        let cell = (point * Point(9, 9)).rounded(.down)
        var result = color
        for vertical in -1...1 {
            for horizontal in -1...1 {
                let place = cell + Point(Float(horizontal), Float(vertical))
                let (x, y) = (Int32(place.x), Int32(place.y))
                let center = (place + 0.3 + 0.4 * Point(noise.random(x, y + 50), noise.random(x, y + 90))) / 9
                let inland = (center.x - 0.02) * 0.72 + (center.y - 0.5) * 0.52 - 0.28
                guard inland < -0.13, noise.random(x, y) < 0.6 else { continue }
                let shadow = smoothstep(0.034, 0.026, length(point - center - Point(0.012, 0.016)))
                result *= 1 - 0.38 * shadow
                let offset = point - center
                let radius = length(offset)
                let sector = Int((atan2f(offset.y, offset.x) + .pi) / (.pi / 4))
                let tint = [0xE4572E, 0x17BEBB, 0xFFC914, 0x2E86DE][Int(noise.random(x, y + 7) * 3.99)] as UInt32
                let paint = sector % 2 == 0 ? RGB(hex: tint) : RGB(hex: 0xFFF8EC)
                result = mix(result, paint * (1 - radius * 7), smoothstep(0.031, 0.029, radius))
            }
        }
        return result
    }
}
