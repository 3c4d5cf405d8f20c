/// What a slot shows.
public enum DisplayedContent: Sendable, Hashable, CaseIterable {
    case nothing
    case placeholder
    /// A preview of the image that is being loaded.
    case preview
    case image
    /// The image for a failure.
    case failure
}
