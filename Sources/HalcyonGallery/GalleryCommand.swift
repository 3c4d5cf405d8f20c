internal import ArgumentParser
internal import CGTK
internal import Glibc
internal import Halcyon
internal import HalcyonFormats
internal import HalcyonGTK
internal import HalcyonSystem

/// The program `halcyon-gallery`.
@main
struct GalleryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "halcyon-gallery",
        abstract: "Show images in a window.",
        discussion: """
            Takes files, folders with everything in them, links (http, https, file, data), and text files (.txt) that list \
            such names, one a line, relative to their own folder. Without arguments, the window says how to open images.

            Keys: Ctrl+O opens images, Ctrl+F searches, Return shows an image in full, the arrow keys turn to the next, \
            + and - zoom, Space pauses an animation, F9 opens the panel with figures, Ctrl+? lists all keys.

            Examples:
              halcyon-gallery ~/Pictures
              halcyon-gallery photo.jpg https://example.org/animation.gif
            """,
        version: "0.1.0"
    )

    @Argument(help: ArgumentHelp("Files, folders and links to show.", valueName: "FILE|URL|DIR"))
    var locations: [String] = []

    @OptionGroup(visibility: .hidden)
    var screenshot: ScreenshotArguments

    static func main() {
        ImageCodecs.register(.all)
        HalcyonWorker.runIfAsked()
        do {
            var command = try parseAsRoot(FilePath.arguments)
            try command.run()
        } catch {
            let code = exitCode(for: error)
            guard code != .success else { exit(withError: error) }
            // It repeats what was typed, and a file's name may be chosen so that a terminal obeys it.
            let scalars = "\(fullMessage(for: error))\n".unicodeScalars.map { scalar in
                scalar.properties.generalCategory == .control && scalar != "\n" ? "\u{FFFD}" : scalar
            }
            let text = String(String.UnicodeScalarView(scalars))
            if text != "\n" { _ = write(STDERR_FILENO, text, text.utf8.count) }
            Glibc.exit(code.rawValue)
        }
    }

    func run() throws {
        try MainActor.assumeIsolated { try show() }
    }

    @MainActor
    private func show() throws {
        guard gtk_init_check() != 0 else {
            throw ValidationError("There is no display to show a window on (DISPLAY, WAYLAND_DISPLAY).")
        }
        if screenshot.rightToLeft { gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL) }
        if screenshot.dark { Style.isDark = true }
        let pipeline = ImagePipeline(configuration: .init(defaultOptions: [.isolation(.preferred)]))
        let application = GalleryApplication(pipeline: pipeline, isUnique: screenshot.path == nil)
        guard let path = screenshot.path else { return try exit(with: application.run(locations)) }
        let run = ScreenshotRun(screenshot.view, showsPanel: screenshot.panel, path: path, application: application)
        application.onWindow = { run.begin($0) }
        _ = try application.run(locations)
        if !run.hasSucceeded { throw ExitCode(1) }
    }

    private func exit(with status: Int32) throws {
        if status != 0 { throw ExitCode(status) }
    }
}

/// The options by which tests of the program, and its documentation, come by images of its window.
struct ScreenshotArguments: ParsableArguments {
    @Option(name: .customLong("screenshot"), help: "Write the window's pixels to this PNG file, and end.")
    var path: String?

    @Option(help: "Show this view: grid, detail, failure or empty.")
    var view = ScreenshotRun.View.grid

    @Flag(help: "Open the panel with figures.")
    var panel = false

    @Flag(help: "Use the dark style.")
    var dark = false

    @Flag(help: "Lay the window out from right to left.")
    var rightToLeft = false
}

extension ScreenshotRun.View: ExpressibleByArgument {}
