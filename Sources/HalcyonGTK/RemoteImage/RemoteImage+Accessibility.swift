extension RemoteImage {
    /// The description of an image to assistive technologies.
    public enum Accessibility: Sendable, Hashable {
        /// An image without a name.
        case unlabeled
        /// An image with a name, in the user's language: what an alternative text says.
        case label(String)
        /// An image that says nothing. Assistive technologies pass over it, though not over the failure child.
        case decorative
    }
}
