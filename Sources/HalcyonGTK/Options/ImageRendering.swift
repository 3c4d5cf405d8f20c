public import Halcyon

/// The way in which a widget draws an image.
public struct ImageRendering: Sendable, Hashable {
    /// A Boolean value that indicates whether the image is a mask, drawn in the colour of the widget's text, as
    /// symbolic icons are. Default: `false`.
    public var isSymbolic = false
    /// A Boolean value that indicates whether left and right are exchanged in a widget of a script that runs from right
    /// to left, as for an arrow that points ahead. Default: `false`.
    public var mirrorsInRightToLeft = false

    /// The image's own colours and directions.
    public init() {}

    /// The colour of the widget's text; see ``isSymbolic``.
    public static let symbolic: ImageRendering = {
        var rendering = ImageRendering()
        rendering.isSymbolic = true
        return rendering
    }()
}

enum ImageRenderingKey: ImageOptionKey {
    static let defaultValue = ImageRendering()
}

extension ImageOption {
    /// Says how the widget draws the image. Default: with its own colours and directions.
    public static func rendering(_ rendering: ImageRendering) -> ImageOption {
        .value(rendering, for: ImageRenderingKey.self)
    }
}
