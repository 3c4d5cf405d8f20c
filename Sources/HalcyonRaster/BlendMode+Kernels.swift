internal import CRasterKernels

extension BlendMode {
    /// The way to compute a mode.
    private enum Computation {
        /// Porter and Duff: the source times (first + second × backdrop alpha), the backdrop times (third + fourth ×
        /// source alpha).
        case factors(SIMD4<Float>)
        /// A mode that a kernel of its own computes.
        case kernel(Int)
    }

    private var computation: Computation {
        switch self {
        case .normal: .factors([1, 0, 1, -1])
        case .clear: .factors([0, 0, 0, 0])
        case .copy: .factors([1, 0, 0, 0])
        case .destination: .factors([0, 0, 1, 0])
        case .destinationOver: .factors([1, -1, 1, 0])
        case .sourceIn: .factors([0, 1, 0, 0])
        case .destinationIn: .factors([0, 0, 0, 1])
        case .sourceOut: .factors([1, -1, 0, 0])
        case .destinationOut: .factors([0, 0, 1, -1])
        case .sourceAtop: .factors([0, 1, 1, -1])
        case .destinationAtop: .factors([1, -1, 0, 1])
        case .xor: .factors([1, -1, 1, -1])
        case .plusLighter: .kernel(halcyon_blend_plus_lighter)
        case .plusDarker: .kernel(halcyon_blend_plus_darker)
        case .multiply: .kernel(halcyon_blend_multiply)
        case .screen: .kernel(halcyon_blend_screen)
        case .overlay: .kernel(halcyon_blend_overlay)
        case .darken: .kernel(halcyon_blend_darken)
        case .lighten: .kernel(halcyon_blend_lighten)
        case .colorDodge: .kernel(halcyon_blend_color_dodge)
        case .colorBurn: .kernel(halcyon_blend_color_burn)
        case .hardLight: .kernel(halcyon_blend_hard_light)
        case .softLight: .kernel(halcyon_blend_soft_light)
        case .difference: .kernel(halcyon_blend_difference)
        case .exclusion: .kernel(halcyon_blend_exclusion)
        case .hue: .kernel(halcyon_blend_hue)
        case .saturation: .kernel(halcyon_blend_saturation)
        case .color: .kernel(halcyon_blend_color)
        case .luminosity: .kernel(halcyon_blend_luminosity)
        }
    }

    /// Returns whether a result is opaque, by whether the source, its opacity included, and the backdrop are.
    func isOpaque(source: Bool, backdrop: Bool) -> Bool {
        switch self {
        case .clear, .sourceOut, .destinationOut, .xor: false
        case .copy, .destinationAtop: source
        case .destination, .sourceAtop: backdrop
        case .sourceIn, .destinationIn: source && backdrop
        default: source || backdrop
        }
    }

    /// Puts pixels of a depth over others of that depth.
    ///
    /// - Parameter opacity: What the source is multiplied by first, from 0 to 1.
    func blend(
        _ source: UnsafePointer<UInt8>,
        over backdrop: UnsafePointer<UInt8>,
        into out: UnsafeMutablePointer<UInt8>,
        count: Int,
        opacity: Float,
        depth: SampleDepth
    ) {
        switch computation {
        case .factors(let factors):
            withUnsafeBytes(of: factors) { factors in
                guard let factors = factors.assumingMemoryBound(to: Float.self).baseAddress else { return }
                switch depth {
                case .eight: halcyon_compose(source, backdrop, out, count, factors, opacity)
                case .sixteen: halcyon_compose_16(source, backdrop, out, count, factors, opacity)
                }
            }
        case .kernel(let mode):
            switch depth {
            case .eight: halcyon_blend(source, backdrop, out, count, Int32(mode), opacity)
            case .sixteen: halcyon_blend_16(source, backdrop, out, count, Int32(mode), opacity)
            }
        }
    }

    /// Returns an opacity limited to 0…1, not a number counting as 0.
    static func limited(_ opacity: Double) -> Float {
        opacity > 0 ? Float(min(opacity, 1)) : 0
    }
}
