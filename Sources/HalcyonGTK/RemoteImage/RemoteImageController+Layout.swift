internal import CGTK
internal import Halcyon

extension RemoteImageController {
    /// Decides where the picture is whenever the overlay is laid out.
    func followLayout(of overlay: UnsafeMutableRawPointer) {
        typealias Handler =
            @convention(c) (gpointer?, gpointer?, UnsafeMutablePointer<GdkRectangle>?, gpointer?) -> gboolean
        let position: Handler = { overlay, child, rectangle, _ in
            // GTK lays out on the main thread, and the arguments do not leave this call.
            nonisolated(unsafe) let (overlay, child) = (nonnull(overlay), nonnull(child))
            let result: GdkRectangle? = MainActor.assumeIsolated {
                guard let controller = RemoteImageController.existing(overlay), child == controller.picture.pointer
                else { return nil }
                return controller.pictureRectangle
            }
            guard let result, let rectangle else { return false.gboolean }
            rectangle.pointee = result
            return true.gboolean
        }
        connect(overlay, "get-child-position", position, nil)
    }

    /// The longest side of the picture, in points.
    private static let longestSide = Double(1 << 28)

    /// The place of the picture in the overlay; `nil` for all of it.
    private var pictureRectangle: GdkRectangle? {
        guard let overlay else { return nil }
        let width = gtk_widget_get_width(overlay.widget)
        let height = gtk_widget_get_height(overlay.widget)
        if slot.content.kind == .nothing { return emptyRectangle(width, height) }
        // That of the program, where it has set one at the picture.
        let fit = RemoteImage.ContentFit(gtk_picture_get_content_fit(picture.opaque))
        guard configuration.horizontalAlignment != .center || configuration.verticalAlignment != .center,
            fit != .fill, let current = slot.paintable?.current, current.width > 0,
            current.height > 0
        else { return nil }
        let isReversed = gtk_widget_get_direction(overlay.widget) == GTK_TEXT_DIR_RTL
        let (across, down) = fit.factors(
            (width: current.width, height: current.height),
            in: (width: Double(width), height: Double(height))
        )
        // Of a very long image that covers the place, GTK's numbers of 32 bits hold no more than a part.
        let size = (
            width: min(current.width * across, Self.longestSide).rounded(),
            height: min(current.height * down, Self.longestSide).rounded()
        )
        let left = (Double(width) - size.width) * configuration.horizontalAlignment.share(isReversed: isReversed)
        let top = (Double(height) - size.height) * configuration.verticalAlignment.share()
        return GdkRectangle(
            x: Int32(left.rounded()),
            y: Int32(top.rounded()),
            width: Int32(size.width),
            height: Int32(size.height)
        )
    }

    /// The place of a picture without content. A direction in which a child gives the widget its size says nothing about
    /// the size of the image: the picture is given none, so that the image is not decoded for it.
    private func emptyRectangle(_ width: Int32, _ height: Int32) -> GdkRectangle {
        var (naturalWidth, naturalHeight): (Int32, Int32) = (0, 0)
        if let child = failure ?? placeholder, gtk_widget_get_visible(child.pointer.widget) != 0 {
            gtk_widget_measure(child.pointer.widget, GTK_ORIENTATION_HORIZONTAL, -1, nil, &naturalWidth, nil, nil)
            gtk_widget_measure(child.pointer.widget, GTK_ORIENTATION_VERTICAL, width, nil, &naturalHeight, nil, nil)
        }
        return GdkRectangle(
            x: 0,
            y: 0,
            width: width > naturalWidth ? width : 0,
            height: height > naturalHeight ? height : 0
        )
    }
}
