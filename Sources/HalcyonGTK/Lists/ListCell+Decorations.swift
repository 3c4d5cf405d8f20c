internal import CGTK

extension ListCell {
    /// What is laid over the image of a cell, or says something about it.
    struct Decorations {
        /// The failure child, while there is one.
        var failure: ObjectReference?
        /// The badge, while there is one.
        var badge: ObjectReference?
    }

    /// Shows the title of an item; `nil`: none.
    func showTitle(_ title: String?) {
        if let label = content.label { gtk_label_set_text(label.opaque, title ?? "") }
        let accessible = content.widget.opaque
        if let title {
            cgtk_set_accessible_label(content.widget, title)
        } else {
            gtk_accessible_reset_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL)
        }
        cgtk_set_row_label(listItem, title ?? "")
    }

    /// Shows the failure child, a new widget; `nil`: none.
    func showFailure(_ child: ObjectReference?) {
        removeDecorations()
        guard let child, let overlay = content.overlay else { return }
        decorations.failure = child
        gtk_overlay_add_overlay(overlay.opaque, child.pointer.widget)
    }

    /// Shows a badge in the lower corner of the image; `nil`: none.
    func showBadge(_ badge: ImageListBadge?) {
        removeDecorations()
        guard let badge, let overlay = content.overlay else { return }
        let mark: UnsafeMutablePointer<GtkWidget>
        switch badge.kind {
        case .icon(let name):
            mark = nonnull(gtk_image_new_from_icon_name(name))
            gtk_image_set_pixel_size(mark.opaque, 12)
        case .text(let text):
            mark = nonnull(gtk_label_new(text))
        }
        for name in ["osd", "image-badge"] { gtk_widget_add_css_class(mark, name) }
        gtk_widget_set_halign(mark, GTK_ALIGN_END)
        gtk_widget_set_valign(mark, GTK_ALIGN_END)
        gtk_widget_set_can_target(mark, false.gboolean)
        cgtk_set_accessible_hidden(mark, true.gboolean)
        cgtk_set_accessible_description(content.widget, badge.label)
        decorations.badge = ObjectReference(retaining: mark.raw)
        gtk_overlay_add_overlay(overlay.opaque, mark)
    }

    /// Removes the failure child and the badge.
    func removeDecorations() {
        guard let overlay = content.overlay else { return }
        if let failure = decorations.failure {
            decorations.failure = nil
            // The program may have taken it out.
            if gtk_widget_get_parent(failure.pointer.widget) == overlay.widget {
                gtk_overlay_remove_overlay(overlay.opaque, failure.pointer.widget)
            }
        }
        if let badge = decorations.badge {
            decorations.badge = nil
            gtk_accessible_reset_property(content.widget.opaque, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION)
            gtk_overlay_remove_overlay(overlay.opaque, badge.pointer.widget)
        }
    }

    /// Gives the focus to the row if the failure child has it, which is about to go, so that the keyboard stays where it
    /// is.
    func moveFocusOutOfFailure() {
        guard let child = decorations.failure?.pointer.widget,
            let focus = gtk_widget_get_root(child).flatMap({ gtk_root_get_focus($0) }),
            focus == child || gtk_widget_is_ancestor(focus, child) != 0,
            let row = gtk_widget_get_parent(content.widget.widget)
        else { return }
        gtk_widget_grab_focus(row)
    }
}
