/// The direction in which an image is mirrored.
public enum FlipAxis: String, Hashable, Sendable, CaseIterable, Codable {
    /// Left and right change places.
    case horizontal
    /// Top and bottom change places.
    case vertical
}
