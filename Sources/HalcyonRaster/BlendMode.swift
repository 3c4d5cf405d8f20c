/// A rule for the colour that an image, the *source*, and what lies below it, the *backdrop*, give together.
///
/// The rules are those of Compositing and Blending Level 1 (W3C, 2024) and of Porter and Duff (1984), on samples as they
/// are encoded (sRGB). In the formulas, Cs and Cb are the straight colours of source and backdrop, αs and αb their
/// alphas, all from 0 to 1. Modes that mix colours give
///
///     result = (1 - αb) αs Cs + (1 - αs) αb Cb + αs αb B(Cb, Cs),  α = αs + αb - αs αb
///
/// with the function B of each, so that each image keeps its colour where the other is transparent.
public enum BlendMode: String, Sendable, Hashable, CaseIterable, Codable {
    /// Source over backdrop: B = Cs.
    case normal
    /// B = Cb Cs. No result is brighter than either colour.
    case multiply
    /// B = Cb + Cs - Cb Cs. No result is darker than either colour.
    case screen
    /// Hard light with both exchanged: multiplies or screens, depending on the backdrop.
    case overlay
    /// B = min(Cb, Cs).
    case darken
    /// B = max(Cb, Cs).
    case lighten
    /// B = min(1, Cb / (1 - Cs)); 0 where Cb = 0, and else 1 where Cs = 1.
    case colorDodge
    /// B = 1 - min(1, (1 - Cb) / Cs); 1 where Cb = 1, and else 0 where Cs = 0.
    case colorBurn
    /// Multiplies by 2 Cs up to Cs = ½, screens with 2 Cs - 1 above.
    case hardLight
    /// Darkens or lightens, depending on the source, without the extremes of hard light.
    case softLight
    /// B = |Cb - Cs|.
    case difference
    /// B = Cb + Cs - 2 Cb Cs.
    case exclusion
    /// The hue of the source with the saturation and the luminosity of the backdrop.
    case hue
    /// The saturation of the source with the hue and the luminosity of the backdrop.
    case saturation
    /// The hue and the saturation of the source with the luminosity of the backdrop.
    case color
    /// The luminosity of the source with the hue and the saturation of the backdrop.
    case luminosity
    /// Neither image: transparent black.
    case clear
    /// The source alone.
    case copy
    /// The backdrop alone.
    case destination
    /// Backdrop over source.
    case destinationOver
    /// The source where the backdrop is: αb × source.
    case sourceIn
    /// The backdrop where the source is: αs × backdrop.
    case destinationIn
    /// The source where the backdrop is not: (1 - αb) × source.
    case sourceOut
    /// The backdrop where the source is not: (1 - αs) × backdrop.
    case destinationOut
    /// The source over the backdrop, where the backdrop is; alpha stays that of the backdrop.
    case sourceAtop
    /// The backdrop over the source, where the source is; alpha is that of the source.
    case destinationAtop
    /// Each image where the other is not.
    case xor
    /// The sum: αs Cs + αb Cb, limited to α = min(1, αs + αb).
    case plusLighter
    /// The sum of what is missing to white, taken from α = min(1, αs + αb): α - αs (1 - Cs) - αb (1 - Cb), at least 0.
    case plusDarker
}
