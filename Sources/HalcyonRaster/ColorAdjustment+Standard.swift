internal import Glibc

extension ColorAdjustment {
    /// Red, green and blue in luminance (ITU-R BT.709-6, 3.2).
    private static let luminance = SIMD3(0.2126, 0.7152, 0.0722)

    /// Adds `amount` to every component: 0 changes nothing, 1 makes white, -1 black.
    public static func brightness(_ amount: Double) -> ColorAdjustment {
        var adjustment = identity
        adjustment.offset = SIMD3(repeating: amount)
        return adjustment
    }

    /// Moves every component away from ½, or towards it: (C - ½) `factor` + ½. 1 changes nothing, 0 makes gray.
    public static func contrast(_ factor: Double) -> ColorAdjustment {
        ColorAdjustment(
            red: [factor, 0, 0],
            green: [0, factor, 0],
            blue: [0, 0, factor],
            offset: SIMD3(repeating: 0.5 - 0.5 * factor)
        )
    }

    /// Moves every component away from the luminance Y of its pixel, or towards it: Y + (C - Y) `factor`, where
    /// Y = 0.2126 R + 0.7152 G + 0.0722 B (ITU-R BT.709-6). 1 changes nothing, 0 makes shades of gray.
    public static func saturation(_ factor: Double) -> ColorAdjustment {
        grayscale(1 - factor)
    }

    /// Multiplies every component by 2 to the power of `stops`: in ``WorkingSpace/linear``, what so many stops more of
    /// exposure do to the light that a camera collects. 0 changes nothing.
    public static func exposure(_ stops: Double) -> ColorAdjustment {
        let factor = exp2(stops)
        return ColorAdjustment(red: [factor, 0, 0], green: [0, factor, 0], blue: [0, 0, factor])
    }

    /// Replaces colours by their luminance Y = 0.2126 R + 0.7152 G + 0.0722 B (ITU-R BT.709-6).
    ///
    /// - Parameter amount: 0 changes nothing, 1 leaves no colour. Default: 1.
    public static func grayscale(_ amount: Double = 1) -> ColorAdjustment {
        ColorAdjustment(red: luminance, green: luminance, blue: luminance).mixed(amount)
    }

    /// Replaces colours by shades of one colour: Y × `color`, whose alpha is ignored.
    ///
    /// - Parameters:
    ///   - color: The colour that white becomes.
    ///   - amount: 0 changes nothing, 1 leaves only that colour. Default: 1.
    public static func monochrome(_ color: Color, amount: Double = 1) -> ColorAdjustment {
        ColorAdjustment(red: luminance * color.red, green: luminance * color.green, blue: luminance * color.blue)
            .mixed(amount)
    }

    /// Tones an image brown (Filter Effects Module Level 1, W3C, section 12.2).
    ///
    /// - Parameter amount: 0 changes nothing, 1 leaves shades of brown. Default: 1.
    public static func sepia(_ amount: Double = 1) -> ColorAdjustment {
        ColorAdjustment(red: [0.393, 0.769, 0.189], green: [0.349, 0.686, 0.168], blue: [0.272, 0.534, 0.131])
            .mixed(amount)
    }

    /// Makes the negative: 1 - C.
    ///
    /// - Parameter amount: 0 changes nothing, ½ makes gray, 1 the negative. Default: 1.
    public static func inverted(_ amount: Double = 1) -> ColorAdjustment {
        ColorAdjustment(red: [-1, 0, 0], green: [0, -1, 0], blue: [0, 0, -1], offset: SIMD3(repeating: 1)).mixed(amount)
    }

    /// Turns hues around the axis of grays, as `hue-rotate()` of CSS does (Filter Effects Module Level 1, W3C).
    ///
    /// - Parameter degrees: 120 turns red towards green. 0 changes nothing.
    public static func hueRotation(degrees: Double) -> ColorAdjustment {
        let angle = degrees.remainder(dividingBy: 360) * .pi / 180
        let (cosine, sine) = (cos(angle), sin(angle))
        let base = SIMD3(0.213, 0.715, 0.072)
        return ColorAdjustment(
            red: base + SIMD3(0.787, -0.715, -0.072) * cosine + SIMD3(-0.213, -0.715, 0.928) * sine,
            green: base + SIMD3(-0.213, 0.285, -0.072) * cosine + SIMD3(0.143, 0.140, -0.283) * sine,
            blue: base + SIMD3(-0.213, -0.715, 0.928) * cosine + SIMD3(-0.787, 0.715, 0.072) * sine
        )
    }

    /// Changes saturation, contrast and brightness, then exposure, in this order, by the formulas of ``saturation(_:)``,
    /// ``contrast(_:)``, ``brightness(_:)`` and ``exposure(_:)``:
    ///
    ///     result = ((Y + (C - Y) saturation - ½) contrast + ½ + brightness) 2^exposure
    ///
    /// - Parameters:
    ///   - brightness: Default: 0, unchanged.
    ///   - contrast: Default: 1, unchanged.
    ///   - saturation: Default: 1, unchanged.
    ///   - exposure: In stops. Default: 0, unchanged.
    public static func controls(
        brightness: Double = 0,
        contrast: Double = 1,
        saturation: Double = 1,
        exposure: Double = 0
    ) -> ColorAdjustment {
        combining([.saturation(saturation), .contrast(contrast), .brightness(brightness), .exposure(exposure)])
    }
}
