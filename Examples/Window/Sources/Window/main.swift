import CGTK4
import FoundationEssentials
import Halcyon
import HalcyonGTK

guard CommandLine.arguments.count == 2 else { fatalError("usage: window URL") }
let url = URL(string: CommandLine.arguments[1])

// Lets the main loop of GTK run `async` code and Halcyon.
try MainLoopBridge.install()

extension UnsafeMutablePointer {
    /// The object as one of another type of its class chain, for which C has macros such as `GTK_WINDOW`.
    func cast<Object>(to type: Object.Type) -> UnsafeMutablePointer<Object> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
    }
}

@MainActor
func showWindow(of application: UnsafeMutablePointer<GtkApplication>) {
    // An image in a widget of GTK. A picture asks for the size of its image unless it has another.
    let picture: UnsafeMutablePointer<GtkWidget> = gtk_picture_new()
    gtk_widget_set_size_request(picture, 320, 240)
    ImageDisplay(picture).setImage(with: url, options: [.transition(.fade(0.25)), .indicator(.spinner)]) { result in
        switch result {
        case .success(let response): print("shown: \(response.image.size)")
        case .failure(let error): print(error)
        }
    }

    // A widget that loads by itself. It belongs to its container, as all widgets do.
    var configuration = RemoteImage.Configuration()
    configuration.placeholder = .spinner
    configuration.aspectRatio = 4 / 3
    let image = RemoteImage(url, configuration: configuration).widget.assumingMemoryBound(to: GtkWidget.self)
    gtk_widget_set_vexpand(image, 1)

    let box: UnsafeMutablePointer<GtkWidget> = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)
    gtk_box_append(box.cast(to: GtkBox.self), picture)
    gtk_box_append(box.cast(to: GtkBox.self), image)
    let window = gtk_application_window_new(application).cast(to: GtkWindow.self)
    gtk_window_set_default_size(window, 640, 640)
    gtk_window_set_child(window, box)
    gtk_window_present(window)
}

let application: UnsafeMutablePointer<GtkApplication> = gtk_application_new(nil, G_APPLICATION_DEFAULT_FLAGS)
let activate: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = { _, _ in
    MainActor.assumeIsolated { showWindow(of: application) }
}
g_signal_connect_data(
    application,
    "activate",
    unsafeBitCast(activate, to: GCallback.self),
    nil,
    nil,
    G_CONNECT_DEFAULT
)
// Without the arguments, which are the program's own: GTK takes each for a file to open, and ends.
exit(g_application_run(application.cast(to: GApplication.self), 0, nil))
