internal import CGTK

extension RemoteImage {
    /// What a remote image shows if its load fails. Children of the program's own are equal to their copies alone.
    public struct FailureChild: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            case none
            case retry(title: String, icon: String)
            case widget(CustomFailure)
        }

        let kind: Kind

        /// Nothing: what is shown is as the options say; see ``ImageOption/failureImage(_:)``.
        public static let none = FailureChild(kind: .none)

        /// An icon above a button that loads the image once more.
        ///
        /// - Parameters:
        ///   - title: The button's title, in the user's language. Default: "Retry".
        ///   - icon: The name of a symbolic icon in the icon theme. Default: `image-missing-symbolic`.
        public static func retry(title: String = "Retry", icon: String = "image-missing-symbolic") -> FailureChild {
            FailureChild(kind: .retry(title: title, icon: icon))
        }

        /// A widget of the program's own.
        ///
        /// - Parameter make: Returns a new `GtkWidget *` without a parent. Called for each failure, with the error and a
        ///   function that loads the image once more; that has no effect after the widget has ended.
        public static func widget(
            _ make:
                @escaping @MainActor (
                    _ error: any Error, _ retry: @escaping @MainActor () -> Void
                ) -> UnsafeMutableRawPointer
        ) -> FailureChild {
            FailureChild(kind: .widget(CustomFailure(make)))
        }
    }

    /// A failure child of the program's own, equal to itself alone.
    final class CustomFailure: Sendable, Hashable {
        typealias Make = @MainActor (any Error, @escaping @MainActor () -> Void) -> UnsafeMutableRawPointer

        let make: Make

        init(_ make: @escaping Make) {
            self.make = make
        }

        static func == (left: CustomFailure, right: CustomFailure) -> Bool { left === right }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(self))
        }
    }
}

extension RemoteImage.FailureChild {
    /// Returns a new widget; `nil` if there is none.
    @MainActor
    func makeWidget(for error: any Error, retry: @escaping @MainActor () -> Void) -> ObjectReference? {
        switch kind {
        case .none: return nil
        case .widget(let custom): return .child(custom.make(error, retry), isCentered: false)
        case .retry(let title, let icon):
            let box = UnsafeMutableRawPointer(nonnull(gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)))
            let image = nonnull(gtk_image_new_from_icon_name(icon))
            cgtk_set_accessible_role(image, GTK_ACCESSIBLE_ROLE_PRESENTATION)
            gtk_image_set_icon_size(OpaquePointer(image), GTK_ICON_SIZE_LARGE)
            let button = nonnull(gtk_button_new_with_label(title))
            gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
            onSignal(button, "clicked") { _ in retry() }
            let boxPointer = box.assumingMemoryBound(to: GtkBox.self)
            gtk_box_append(boxPointer, image)
            gtk_box_append(boxPointer, button)
            return .child(box, isCentered: true)
        }
    }
}
