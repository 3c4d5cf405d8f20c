/// An item of a list's model, and its place there.
@MainActor
public struct ImageListItem {
    /// The item: the `GObject *` that the model returns. Valid during the call that gets it.
    public let object: UnsafeMutableRawPointer
    /// The position in the model, from 0.
    public let position: Int

    /// Returns the Swift value that the item stands for; `nil` if it is not of an ``ImageListModel``, or of another
    /// type.
    public func element<Element>(_ type: Element.Type = Element.self) -> Element? {
        ImageListModel<Element>.element(of: object)
    }
}
