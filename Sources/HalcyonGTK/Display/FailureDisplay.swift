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

extension SlotController {
    /// Shows what the options of a load that has failed say.
    func showFailure(of task: DisplayTask) {
        let options = task.options
        switch options[FailureDisplayKey.self] {
        case .unchanged:
            // The image that a file had is no longer that of the file.
            if options[DelaysPlaceholderKey.self] || task.showsExaminedFile {
                showPlaceholder(of: task, through: options[TransitionKey.self])
            }
        case .nothing:
            setContent(nil)
        case .image(let image):
            setContent(Paintable(image.image), kind: .failure, image: image.image)
        }
    }
}
