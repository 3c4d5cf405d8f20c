/// The way in which a slot's paintable gets into an object, one for each kind of object.
@MainActor
protocol SlotConnection: AnyObject {
    /// The widget whose size the image is shown at; `nil` for an object that is none.
    var displayWidget: UnsafeMutableRawPointer? { get }

    /// The room for the image, where it does not depend on a widget. Default: `nil`.
    var fixedSize: SizeDemand? { get }

    /// Whether a widget draws the paintable, and so anew when its size changes. Default: `true`.
    var isDrawn: Bool { get }

    /// Puts the paintable into the object, in the place of what is there. May run code of the program.
    func install()

    /// Takes it out again, unless something else has taken its place. The object exists.
    func uninstall()
}

extension SlotConnection {
    var fixedSize: SizeDemand? { nil }
    var isDrawn: Bool { true }
}
