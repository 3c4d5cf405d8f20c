/// The way in which a pixel is made of those around a position that lies between them.
public enum Interpolation: String, Hashable, Sendable, CaseIterable, Codable {
    /// From 2 × 2 pixels, each by its nearness. Soft.
    case bilinear
    /// From 4 × 4 pixels, with the cubic of Catmull and Rom (Keys 1981, a = −0.5). Crisp, with little ringing.
    case bicubic
}
