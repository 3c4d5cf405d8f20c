public import Halcyon

/// An error of a call that sets an image, beside those of its load.
public enum DisplayError: Error, Sendable, CustomStringConvertible {
    /// The call named no source.
    case emptySource
    /// Another call for the same slot came before the image was shown, the slot or its widget has ended, or the widget has
    /// left its window: the end of the load, if it has one, because it went on (``ImageOption/superseded(_:)``) or was over; else `nil`.
    case superseded(Result<ImageResponse, any Error>?)
    /// The object has no such place for an image: its type, and the slot.
    case unsupported(type: String, slot: WidgetSlot)

    /// A sentence that describes the failure.
    public var description: String {
        switch self {
        case .emptySource: "No source of an image was given"
        case .superseded: "The image is no longer the one to be shown"
        case .unsupported(let type, let slot): "A \(type) has no slot “\(slot)” for an image"
        }
    }
}

extension Error {
    /// A Boolean value that indicates whether the program has cancelled the load, or put another in its place.
    package var isEndByProgram: Bool {
        if self is CancellationError { return true }
        if case .superseded? = self as? DisplayError { return true }
        return false
    }
}
