internal import CGTK
internal import Halcyon
internal import HalcyonGTK

/// The panel beside the images: figures of the image, the caches and the network, brought up to date each second while
/// it is open.
@MainActor
final class InformationPanel {
    let widget: Widget
    /// Returns the figures of the image that the panel is about; none: no image is.
    var imageFigures: () -> [Figure] = { [] }
    private let pipeline: ImagePipeline
    private let image = FigureList("Image")
    private let loads = FigureList("Loads")
    private let memory = FigureList("Memory")
    private let disk = FigureList("Disk")
    private let network = FigureList("Network")
    private var diskStatistics: DiskCache.Statistics?
    private var updates: Task<Void, Never>?

    init(pipeline: ImagePipeline) {
        self.pipeline = pipeline
        let lists = makeBox(
            GTK_ORIENTATION_VERTICAL,
            spacing: 24,
            [image.widget, loads.widget, memory.widget, disk.widget, network.widget]
        )
        setMargins(lists, 18)
        let scrolled = nonnull(gtk_scrolled_window_new())
        gtk_scrolled_window_set_policy(scrolled.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(scrolled.opaque, lists)
        gtk_widget_set_size_request(scrolled, 300, -1)
        gtk_widget_add_css_class(scrolled, "panel")
        cgtk_set_accessible_label(scrolled, "Information")
        widget = nonnull(gtk_revealer_new())
        gtk_revealer_set_transition_type(widget.opaque, GTK_REVEALER_TRANSITION_TYPE_SLIDE_LEFT)
        gtk_revealer_set_child(widget.opaque, scrolled)
        gtk_widget_set_hexpand(widget, false.gboolean)
        setVisible(widget, false)
        onSignal(widget, "notify::child-revealed") { [weak self] _ in
            guard let self, updates == nil else { return }
            setVisible(widget, false)
        }
    }

    /// Ends the updates; the window is gone.
    func end() {
        updates?.cancel()
        updates = nil
    }

    /// Opens or closes the panel.
    func setOpen(_ isOpen: Bool) {
        updates?.cancel()
        updates = nil
        if isOpen {
            setVisible(widget, true)
            updates = Task { [weak self] in
                while !Task.isCancelled {
                    guard await self?.readDisk() != nil else { return }
                    try? await Task.sleep(for: .seconds(1))
                }
            }
            update()
        }
        gtk_revealer_set_reveal_child(widget.opaque, isOpen.gboolean)
    }

    /// Shows the figures of this moment, if the panel is open.
    func update() {
        guard updates != nil else { return }
        image.show(imageFigures())
        let statistics = pipeline.statistics
        loads.show(Figure.loadFigures(of: statistics))
        memory.show(Figure.figures(of: pipeline.cache.memoryStatistics, limit: pipeline.cache.memoryCostLimit))
        disk.show(Figure.figures(of: diskStatistics, statistics))
        network.show(Figure.networkFigures(of: statistics))
    }

    private func readDisk() async {
        let statistics = try? await pipeline.cache.diskStatistics()
        guard !Task.isCancelled else { return }
        diskStatistics = statistics
        update()
    }
}
