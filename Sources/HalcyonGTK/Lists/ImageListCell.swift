internal import CGTK

/// The widget of one cell, which shows one item after another.
@MainActor
public struct ImageListCell {
    /// The cell's `GtkWidget *`.
    public let widget: UnsafeMutableRawPointer
    /// The slot that shows the image: of the widget itself, or of one inside of it.
    public let display: ImageDisplay
    /// The `GtkLabel *` that shows the title of the item; `nil` if the cell shows none.
    public let label: UnsafeMutableRawPointer?
    /// The `GtkOverlay *` around the image, on which a failure and a badge are shown; `nil` if the cell shows neither.
    public let overlay: UnsafeMutableRawPointer?

    /// A cell of the program's own.
    ///
    /// - Parameters:
    ///   - widget: A new `GtkWidget *`. Its reference is taken over if it is floating, as that of each new widget of C
    ///     is; otherwise one is added.
    ///   - display: The slot that shows the image.
    ///   - label: A `GtkLabel *` inside of the widget, which shows the title of the item; see
    ///     ``ImageListFactory/Configuration/title``. Default: `nil`.
    ///   - overlay: A `GtkOverlay *` inside of the widget, or the widget itself, on which a failure and a badge are
    ///     shown; see ``ImageListFactory/Configuration/failure`` and ``ImageListFactory/Configuration/badge``. Default:
    ///     `nil`.
    public init(
        widget: UnsafeMutableRawPointer,
        display: ImageDisplay,
        label: UnsafeMutableRawPointer? = nil,
        overlay: UnsafeMutableRawPointer? = nil
    ) {
        self.widget = widget
        self.display = display
        self.label = label
        self.overlay = overlay
    }

    /// A new `GtkPicture` that the image covers as a whole, cut off where its sides have another ratio. It shows no title,
    /// failure or badge; see ``titled(width:height:contentFit:)``.
    ///
    /// - Parameters:
    ///   - width: The least width in points. Default: 96.
    ///   - height: The least height in points. Default: 96.
    public static func picture(width: Int = 96, height: Int = 96) -> ImageListCell {
        let picture = nonnull(gtk_picture_new())
        gtk_widget_set_size_request(picture, gint(width), gint(height))
        gtk_picture_set_content_fit(OpaquePointer(picture), GTK_CONTENT_FIT_COVER)
        return ImageListCell(widget: UnsafeMutableRawPointer(picture), display: ImageDisplay(picture))
    }
}
