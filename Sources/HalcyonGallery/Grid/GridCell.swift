#if GTK
internal import CGTK
internal import Halcyon
internal import HalcyonGTK

/// A cell of the grid: an image and its name, or the failure and a button to try again.
@MainActor
final class GridCell {
    let widget: Widget
    private let pipeline: ImagePipeline
    private let picture: Widget
    private let failure: Widget
    private let name: Widget
    private(set) var item: GalleryItem?

    init(pipeline: ImagePipeline) {
        self.pipeline = pipeline
        picture = nonnull(gtk_picture_new())
        gtk_picture_set_content_fit(picture.opaque, GTK_CONTENT_FIT_SCALE_DOWN)
        let retry = makeTextButton("Try Again", classes: ["small"])
        failure = makeBox(
            GTK_ORIENTATION_VERTICAL,
            spacing: 8,
            classes: ["cell-failure"],
            [makeIcon("image-missing-symbolic", size: 32, classes: ["dim-label"]), retry]
        )
        center(failure)
        center(retry)
        let overlay = nonnull(gtk_overlay_new())
        // The picture itself would ask for the size of its image.
        let frame = makeBox(GTK_ORIENTATION_VERTICAL, [])
        gtk_widget_set_size_request(
            frame,
            Int32(GalleryItem.thumbnailSize.width),
            Int32(GalleryItem.thumbnailSize.height)
        )
        gtk_overlay_set_child(overlay.opaque, frame)
        gtk_overlay_add_overlay(overlay.opaque, picture)
        gtk_overlay_add_overlay(overlay.opaque, failure)
        // A wide cell does not enlarge its image.
        gtk_widget_set_halign(overlay, GTK_ALIGN_CENTER)
        name = makeLabel("", classes: ["caption"])
        gtk_label_set_ellipsize(name.opaque, PANGO_ELLIPSIZE_MIDDLE)
        gtk_label_set_max_width_chars(name.opaque, 18)
        widget = makeBox(GTK_ORIENTATION_VERTICAL, spacing: 6, classes: ["cell"], [overlay, name])
        setVisible(failure, false)
        connect(retry, "clicked") { [weak self] _ in self?.load() }
    }

    /// The image that is shown; `nil` while it is loaded, and after a failure.
    var image: DecodedImage? { ImageDisplay(picture).image }

    /// A Boolean value that indicates whether the cell has an image and is on the screen, or just beyond its edge.
    var isShown: Bool { item != nil && gtk_widget_get_mapped(picture) != 0 }

    /// A Boolean value that indicates whether the load of the image has ended.
    var isSettled: Bool { ImageDisplay(picture).task?.state == .finished }

    /// Shows another image, or nothing.
    func show(_ item: GalleryItem?) {
        self.item = item
        setVisible(failure, false)
        guard let item else { return ImageDisplay(picture).remove() }
        gtk_label_set_text(name.opaque, item.name)
        gtk_widget_set_tooltip_text(widget, nil)
        cgtk_set_accessible_label(widget, item.name)
        load()
    }

    private func load() {
        guard let item else { return }
        setVisible(failure, false)
        let request = item.thumbnailRequest(scale: Int(gtk_widget_get_scale_factor(picture)), fadesIn: true)
        let completion: ImageDisplay.Completion = { [weak self] result in
            guard let self, item === self.item, case .failure(let error) = result, FailureView.isShown(for: error)
            else { return }
            setVisible(failure, true)
            gtk_widget_set_tooltip_text(widget, FailureView.text(for: error))
        }
        ImageDisplay(picture).setImage(with: request, pipeline: pipeline, completion: completion)
    }
}
#endif
