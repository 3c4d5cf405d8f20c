import Glibc

/// A kingfisher on a twig, the bird this project is named after.
struct KingfisherPortrait: Scene {
    private let noise = Noise(233)
    private let aspect: Float

    init(aspect: Float) {
        self.aspect = aspect
    }

    func color(at point: Point) -> RGB {
        let place = Point((point.x - aspect / 2), point.y - 0.5)
        var color = background(at: point)
        color = twig(over: color, at: place)
        color = bird(over: color, at: place)
        return color
    }

    private func background(at point: Point) -> RGB {
        var color = mix(
            RGB(hex: 0x7FB58A),
            RGB(hex: 0x1C5A4E),
            smoothstep(-0.1, 1.1, point.y + noise.gradient(point * 1.3) * 0.3)
        )
        for index in 0..<26 {
            let number = Int32(index)
            let center = Point(noise.random(number, 1) * aspect, noise.random(number, 2))
            let radius = 0.05 + 0.09 * noise.random(number, 3)
            let tint = mix(RGB(hex: 0xCFE8A0), RGB(hex: 0x5FD0B0), noise.random(number, 4))
            let share = smoothstep(radius, radius * 0.8, length(point - center))
            color = screen(color, tint * share * (0.06 + 0.16 * noise.random(number, 5)))
        }
        return color
    }

    private func twig(over color: RGB, at place: Point) -> RGB {
        let middle = 0.335 + place.x * 0.09 + 0.012 * noise.gradient(Point(place.x * 5, 1))
        let half = 0.021 - place.x * 0.008 + 0.003 * noise.gradient(Point(place.x * 22, 4))
        let across = (place.y - middle) / half
        guard abs(across) < 1 else { return color }
        let bark = noise.fractal(Point(place.x * 14, place.y * 60), octaves: 4)
        let lit = mix(RGB(hex: 0xA98B62), RGB(hex: 0x33241A), smoothstep(-1, 0.9, across))
        return lit * (1 + bark * 0.4)
    }

    /// An ellipse with a turned axis: below 1 inside.
    private func ellipse(_ place: Point, _ center: Point, _ radii: Point, turn: Float) -> Float {
        let offset = place - center
        let (sine, cosine) = (sinf(turn), cosf(turn))
        let turned = Point(offset.x * cosine + offset.y * sine, offset.y * cosine - offset.x * sine)
        return length(turned / radii)
    }

    private func bird(over background: RGB, at place: Point) -> RGB {
        var color = background
        let plume = noise.fractal(Point(place.x * 26 + place.y * 8, place.y * 20), octaves: 4)
        let soft: Float = 0.035

        // Tail, then the breast, then wing and back over it.
        let tail = ellipse(place, Point(-0.16, 0.335), Point(0.045, 0.135), turn: 0.42)
        color = mix(color, RGB(hex: 0x0F5FA8) * (1 + plume * 0.5), smoothstep(1, 1 - soft * 2, tail))
        let breast = ellipse(place, Point(0.012, 0.10), Point(0.165, 0.262), turn: 0.30)
        let warm = mix(RGB(hex: 0xF59A38), RGB(hex: 0xB9501A), smoothstep(0.02, 0.34, place.y - place.x * 0.5))
        color = mix(color, warm * (1 + plume * 0.32), smoothstep(1, 1 - soft, breast + plume * 0.02))
        let wing = ellipse(place, Point(-0.085, 0.115), Point(0.112, 0.275), turn: 0.34)
        color = mix(color, wingColor(at: place, plume: plume), smoothstep(1, 1 - soft, wing + plume * 0.025))

        color = bill(over: color, at: place)
        let head = ellipse(place, Point(0.055, -0.205), Point(0.158, 0.138), turn: 0.12)
        color = mix(color, headColor(at: place, plume: plume), smoothstep(1, 1 - soft, head + plume * 0.02))
        return feet(over: eye(over: color, at: place), at: place)
    }

    private func wingColor(at place: Point, plume: Float) -> RGB {
        let along = place.y + place.x * 0.35
        var color = mix(RGB(hex: 0x12A0C8), RGB(hex: 0x0B3F8F), smoothstep(-0.15, 0.32, along))
        let row = along * 26
        let feather = row - floorf(row)
        color *= 0.84 + 0.3 * feather
        let column = (place.x - place.y * 0.35) * 32 + (Int(floorf(row)) % 2 == 0 ? 0.5 : 0)
        let spot = length(Point(column - floorf(column) - 0.5, feather - 0.62))
        color = mix(color, RGB(hex: 0x86E9F5), smoothstep(0.24, 0.12, spot) * smoothstep(0.16, 0.0, along))
        let back = smoothstep(0.05, 0, abs(place.x + 0.165 + (place.y - 0.1) * 0.26))
        return mix(color, RGB(hex: 0x4FE3F0), back * 0.75) * (1 + plume * 0.35)
    }

    private func headColor(at place: Point, plume: Float) -> RGB {
        let row = (place.y + place.x * 0.25 + 0.4) * 52
        let column = (place.x - place.y * 0.3) * 46 + (Int(floorf(row)) % 2 == 0 ? 0.5 : 0)
        let spot = length(Point(column - floorf(column) - 0.5, row - floorf(row) - 0.5))
        var color = mix(RGB(hex: 0x0E4FA0), RGB(hex: 0x5FD8F0), smoothstep(0.34, 0.18, spot) * 0.8)
        let cheek = ellipse(place, Point(0.075, -0.165), Point(0.085, 0.042), turn: 0.25)
        color = mix(color, RGB(hex: 0xE9862C), smoothstep(1, 0.85, cheek))
        let neck = ellipse(place, Point(-0.045, -0.135), Point(0.052, 0.038), turn: 0.5)
        color = mix(color, RGB(hex: 0xFFF7EA), smoothstep(1, 0.8, neck))
        let throat = ellipse(place, Point(0.10, -0.098), Point(0.085, 0.040), turn: -0.15)
        color = mix(color, RGB(hex: 0xFFF7EA), smoothstep(1, 0.8, throat))
        let lore = ellipse(place, Point(0.165, -0.225), Point(0.034, 0.017), turn: 0.1)
        color = mix(color, RGB(hex: 0xE9862C), smoothstep(1, 0.8, lore))
        return color * (1 + plume * 0.25) * mix(1.08, 0.82, smoothstep(-0.34, -0.06, place.y))
    }

    private func bill(over color: RGB, at place: Point) -> RGB {
        let along = (place.x - 0.15) / 0.31
        guard along > 0, along < 1 else { return color }
        let middle = -0.192 + along * 0.022
        let half = 0.034 * (1 - along)
        let across = (place.y - middle) / max(half, 0.0005)
        guard abs(across) < 1 else { return color }
        let lower = smoothstep(0.05, 0.2, across) * smoothstep(0.75, 0.1, along) * 0.5
        let shine = smoothstep(0.3, 0, abs(across + 0.5)) * 0.25
        return mix(RGB(hex: 0x15181E), RGB(hex: 0xA84A20), lower) + shine
    }

    private func eye(over color: RGB, at place: Point) -> RGB {
        let center = Point(0.108, -0.232)
        let distance = length(place - center)
        var result = mix(color, RGB(hex: 0x120A08), smoothstep(0.0275, 0.025, distance))
        result = mix(result, RGB(hex: 0x4A2A18), smoothstep(0.006, 0, abs(distance - 0.018)) * 0.6)
        return mix(result, .one, smoothstep(0.0085, 0.006, length(place - center - Point(0.008, -0.009))))
    }

    private func feet(over color: RGB, at place: Point) -> RGB {
        var result = color
        for foot in [Float(0.035), 0.105] {
            for toe in 0..<3 {
                let center = Point(foot + Float(toe) * 0.017, 0.338 + foot * 0.09)
                result = mix(
                    result,
                    RGB(hex: 0xE2522B),
                    smoothstep(1, 0.8, ellipse(place, center, Point(0.0085, 0.026), turn: 0.1))
                )
            }
        }
        return result
    }
}
