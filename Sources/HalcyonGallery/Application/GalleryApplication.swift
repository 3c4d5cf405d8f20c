internal import CGTK
internal import Halcyon
internal import HalcyonGTK

/// The program: its windows, and what it is asked to open.
@MainActor
final class GalleryApplication {
    static let identifier = "io.github.halcyon.Gallery"

    private let application: UnsafeMutablePointer<GtkApplication>
    private let pipeline: ImagePipeline
    private(set) var windows: [GalleryWindow] = []
    /// Called with each new window, before it opens anything.
    var onWindow: (GalleryWindow) -> Void = { _ in }

    /// - Parameters:
    ///   - pipeline: Loads the images.
    ///   - isUnique: Whether a second start opens a window of the first. Default: `true`.
    init(pipeline: ImagePipeline, isUnique: Bool = true) {
        self.pipeline = pipeline
        let unique = isUnique ? 0 : G_APPLICATION_NON_UNIQUE.rawValue
        application = nonnull(
            gtk_application_new(
                Self.identifier,
                GApplicationFlags(rawValue: G_APPLICATION_HANDLES_OPEN.rawValue | unique)
            )
        )
        onSignal(application, "startup") { [weak self] _ in self?.didStart() }
        onSignal(application, "activate") { [weak self] _ in
            guard let self else { return }
            addWindow().present()
        }
        onSignal(application, "open") { [weak self] call in
            guard let self else { return }
            let window = addWindow()
            window.present()
            window.open(GalleryWindow.locations(in: call.pointer(1), count: call.int(2)))
        }
    }

    /// Runs until the last window is closed.
    ///
    /// - Parameter locations: Paths and URLs to open.
    /// - Returns: The exit code.
    func run(_ locations: [String]) throws(MainLoopError) -> Int32 {
        try MainLoopBridge.install()
        var arguments: [UnsafeMutablePointer<CChar>?] = (["halcyon-gallery", "--"] + locations).map { g_strdup($0) }
        if locations.isEmpty { g_free(arguments.removeLast()) }
        let count = Int32(arguments.count)
        arguments.append(nil)
        defer { for argument in arguments { g_free(argument) } }
        return g_application_run(application.cast(), count, &arguments)
    }

    func quit() { g_application_quit(application.cast()) }

    private func didStart() {
        if let display = gdk_display_get_default() { Style.install(on: display) }
        Self.addShortcuts(to: application)
    }

    /// Gives the actions of windows their keys.
    static func addShortcuts(to application: UnsafeMutablePointer<GtkApplication>) {
        for (action, keys) in [
            ("win.open", ["<Ctrl>O"]), ("win.open-folder", ["<Ctrl><Shift>O"]), ("win.search", ["<Ctrl>F"]),
            ("win.panel", ["F9"]), ("win.fullscreen", ["F11"]), ("win.dark", ["<Ctrl>D"]),
            ("win.shortcuts", ["<Ctrl>question"]), ("win.back", ["<Alt>Left"]), ("window.close", ["<Ctrl>W"]),
        ] {
            var names: [UnsafePointer<CChar>?] = keys.map { UnsafePointer(g_strdup($0)) }
            names.append(nil)
            gtk_application_set_accels_for_action(application, action, &names)
            for name in names { g_free(UnsafeMutableRawPointer(mutating: name)) }
        }
    }

    private func addWindow() -> GalleryWindow {
        let window = GalleryWindow(application: application, pipeline: pipeline)
        windows.append(window)
        window.onClose = { [weak self, weak window] in self?.windows.removeAll { $0 === window } }
        onWindow(window)
        return window
    }
}

extension GalleryWindow {
    /// Returns the locations in a C array of `GFile`.
    static func locations(in array: UnsafeMutableRawPointer?, count: Int) -> [String] {
        guard let files = array?.assumingMemoryBound(to: OpaquePointer?.self) else { return [] }
        return (0..<count).compactMap { index in files[index].map(location(of:)) }
    }
}
