internal import CGTK

extension ImageListCell {
    /// A new cell with a place for an image and the title of the item below, which also shows failures and badges.
    ///
    /// The place has the same size in all cells, also where a view makes them wider. The style classes of the whole and of
    /// the title are `image-cell` and `caption`.
    ///
    /// - Parameters:
    ///   - width: The width of the image's place, in points. Default: 96.
    ///   - height: The height of the image's place, in points. Default: 96.
    ///   - contentFit: The way in which an image fills its place. Default: ``RemoteImage/ContentFit/cover``.
    public static func titled(
        width: Int = 96,
        height: Int = 96,
        contentFit: RemoteImage.ContentFit = .cover
    ) -> ImageListCell {
        let picture = nonnull(gtk_picture_new())
        gtk_picture_set_content_fit(picture.opaque, contentFit.gtk)
        // The picture itself would ask for the size of its image.
        let place = nonnull(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
        gtk_widget_set_size_request(place, gint(width), gint(height))
        let overlay = nonnull(gtk_overlay_new())
        gtk_overlay_set_child(overlay.opaque, place)
        gtk_overlay_add_overlay(overlay.opaque, picture)
        gtk_widget_set_overflow(overlay, GTK_OVERFLOW_HIDDEN)
        gtk_widget_set_halign(overlay, GTK_ALIGN_CENTER)
        let label = nonnull(gtk_label_new(nil))
        gtk_widget_add_css_class(label, "caption")
        gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_MIDDLE)
        // A long title does not make its column wider.
        gtk_label_set_width_chars(label.opaque, 1)
        gtk_label_set_max_width_chars(label.opaque, 1)
        let box = nonnull(gtk_box_new(GTK_ORIENTATION_VERTICAL, 6))
        gtk_widget_add_css_class(box, "image-cell")
        gtk_box_append(box.cast(), overlay)
        gtk_box_append(box.cast(), label)
        return ImageListCell(
            widget: box.raw,
            display: ImageDisplay(picture),
            label: label.raw,
            overlay: overlay.raw
        )
    }
}
