/// How a load follows the visibility of its widget.
///
/// A widget is *shown* while GTK has it mapped and a part of it is in sight: a child of a viewport that is scrolled away
/// is not, nor are the pages of a carousel beside the present one. What covers it, and whether its window is minimised,
/// makes no difference to loads; nothing moves in a window that is minimised.
///
/// An image in memory is shown at once in any case, if it is known at which size it is asked for. A widget without a size,
/// before it is shown for the first time and while it is itself hidden, gets it before its next frame is painted, unless
/// the request has a target size or ``DisplaySizing/image``.
public enum LoadVisibility: Sendable, Hashable, CaseIterable {
    /// Loads while the widget is shown: begins when it is, is cancelled when it no longer is, and begins again when it
    /// is shown once more. A load that has failed does not begin again.
    case whileMapped
    /// Begins when the widget is shown, and goes on at low priority while it is not; it is cancelled when the widget is
    /// taken out of its window.
    case lowPriorityWhileUnmapped
    /// Begins when the widget is shown, and goes on whatever becomes of it.
    case onceMapped
    /// Begins at once.
    case always
}
