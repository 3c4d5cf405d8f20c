/// The way in which a slot's paintable gets into an object, one for each kind of object.
@MainActor
protocol SlotConnection: AnyObject {
    /// The widget whose size the image is shown at; `nil` for an object that is none.
    var displayWidget: UnsafeMutableRawPointer? { get }

    /// The room for the image, where it does not depend on a widget. Default: `nil`.
    var fixedSize: SizeDemand? { get }

    /// Whether a widget draws the paintable, and so anew when its size changes. Default: `true`.
    var isDrawn: Bool { get }

    /// Puts the paintable into the object for the first time, in the place of what is there. May run code of the program.
    func install()

    /// A call for the slot begins: takes what the program has put into the object meanwhile as a value of the slot, which the
    /// next one replaces. May run code of the program.
    func take()

    /// Puts the paintable into the object, if that is to show it now and does not. May run code of the program.
    func update()

    /// Takes it out again, unless something else has taken its place. The object exists.
    func uninstall()
}

extension SlotConnection {
    var fixedSize: SizeDemand? { nil }
    var isDrawn: Bool { true }

    func take() {}
    func update() {}
}
