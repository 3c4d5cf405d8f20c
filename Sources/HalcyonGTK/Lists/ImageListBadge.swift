public import Halcyon

/// A mark in the corner of an image in a list.
///
/// Its style classes are `osd`, that of the theme for what is laid over images, and `image-badge`.
public struct ImageListBadge: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case icon(String)
        case text(String)
    }

    let kind: Kind
    /// What assistive technologies say in its place.
    public let label: String

    /// An icon.
    ///
    /// - Parameters:
    ///   - name: The name of a symbolic icon in the icon theme.
    ///   - label: What assistive technologies say in its place, in the user's language.
    public static func icon(_ name: String, label: String) -> ImageListBadge {
        ImageListBadge(kind: .icon(name), label: label)
    }

    /// A few letters, such as "RAW".
    ///
    /// - Parameters:
    ///   - text: In the user's language.
    ///   - label: What assistive technologies say in its place. Default: the text.
    public static func text(_ text: String, label: String? = nil) -> ImageListBadge {
        ImageListBadge(kind: .text(text), label: label ?? text)
    }

    /// Returns a badge for an animated image; `nil` for a still one. A configuration takes the function itself:
    /// `configuration.badge = ImageListBadge.ofAnimation`.
    public static func ofAnimation(_ response: ImageResponse) -> ImageListBadge? {
        response.image.info.isAnimated ? .icon("media-playback-start-symbolic", label: "Animated") : nil
    }
}
