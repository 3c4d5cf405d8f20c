internal import Halcyon

/// What is shown if a load fails.
enum FailureDisplay: Sendable, Hashable {
    /// What was shown while it was loaded.
    case unchanged
    case nothing
    case image(FailureImage)
}

/// An image, equal to itself alone.
final class FailureImage: Sendable, Hashable {
    let image: DecodedImage

    init(_ image: DecodedImage) {
        self.image = image
    }

    static func == (left: FailureImage, right: FailureImage) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
