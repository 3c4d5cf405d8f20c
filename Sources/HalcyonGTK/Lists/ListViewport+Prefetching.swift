internal import CGTK
internal import Halcyon

extension ListViewport {
    /// An item that is prefetched, or was.
    @MainActor
    final class Entry {
        enum State {
            case waiting
            case loading(ImagePrefetcher)
            case finished
        }

        /// The item, kept so that no other gets its address.
        let item: ObjectReference
        let request: ImageRequest?
        var state = State.waiting

        init(_ item: ObjectReference, _ request: ImageRequest?) {
            self.item = item
            self.request = request
        }

        var prefetcher: ImagePrefetcher? {
            if case .loading(let prefetcher) = state { prefetcher } else { nil }
        }
    }

    /// Prefetches the items that come into sight next, and cancels those that no longer do.
    ///
    /// - Parameters:
    ///   - cell: The cell at the edge that they will appear at.
    ///   - objects: The items in sight. What is being prefetched of them goes on, as their cells wait for it.
    func prefetch(from model: ObjectReference, for cell: ListCell, visible objects: Set<UnsafeMutableRawPointer>) {
        guard let visible else { return }
        let count = configuration.prefetchDistance.count(visible: visible.count)
        var kept: [UnsafeMutableRawPointer: Entry] = [:]
        var next: [Entry] = []
        for distance in 0..<count {
            let position = isForward ? visible.upperBound + 1 + distance : visible.lowerBound - 1 - distance
            guard position >= 0, let object = g_list_model_get_item(model.opaque, guint(position)) else { break }
            let item = ObjectReference(adopting: object)
            // The same item may be there twice.
            guard kept[object] == nil, !objects.contains(object) else { continue }
            let entry =
                entries[object] ?? Entry(item, binder?.request(ImageListItem(object: object, position: position)))
            kept[object] = entry
            next.append(entry)
        }
        guard binder?.hasEnded == false else { return }
        for (object, entry) in entries where kept[object] == nil && objects.contains(object) {
            if entry.prefetcher != nil { kept[object] = entry }
        }
        let dropped = entries.filter { kept[$0.key] == nil }
        entries = kept
        order = next
        self.cell = cell
        // New loads join the work that they share with others before that is given up.
        startNext()
        for entry in dropped.values { entry.prefetcher?.stop() }
    }

    /// Cancels everything.
    func end() {
        unfollowLayout()
        let ended = entries
        entries = [:]
        order = []
        for entry in ended.values { entry.prefetcher?.stop() }
    }

    /// The requests that are being prefetched, for tests.
    var prefetching: [ImageRequest] {
        entries.values.compactMap { entry in entry.prefetcher == nil ? nil : entry.request }
    }

    private func startNext() {
        var running = entries.values.count { $0.prefetcher != nil }
        for entry in order {
            guard running < max(1, configuration.maxConcurrentPrefetches) else { return }
            guard case .waiting = entry.state else { continue }
            start(entry)
            if entry.prefetcher != nil { running += 1 }
        }
    }

    private func start(_ entry: Entry) {
        guard let request = entry.request else { return entry.state = .finished }
        let pipeline = configuration.pipeline
        guard let cell else { return }
        guard let sized = cell.sized(request, in: pipeline) else { return followLayout(of: cell) }
        if pipeline.responseFromMemory(for: sized) != nil { return entry.state = .finished }
        let prefetcher = ImagePrefetcher(
            requests: [sized],
            pipeline: pipeline,
            maxConcurrentLoads: 1,
            onCompletion: { [weak self, weak entry] _ in
                Task { @MainActor in
                    entry?.state = .finished
                    self?.startNext()
                }
            }
        )
        entry.state = .loading(prefetcher)
        prefetcher.start()
    }

    /// Goes on when the cells are laid out, and their size is known.
    private func followLayout(of cell: ListCell) {
        guard layouts == nil, let clock = gtk_widget_get_frame_clock(cell.content.widget.widget) else { return }
        let layouts = LayoutObserver.of(UnsafeMutableRawPointer(clock))
        layouts.add(self) { [unowned self] _ in
            unfollowLayout()
            startNext()
            return nil
        }
        self.layouts = layouts
    }

    private func unfollowLayout() {
        layouts?.remove(self)
        layouts = nil
    }
}

/// The number of items that are loaded before they come into sight.
public enum PrefetchDistance: Sendable, Hashable {
    /// No item is.
    case none
    /// This many items.
    case items(Int)
    /// As many items as this number of times those in sight.
    case pages(Double)

    /// The most items that are looked at, whatever the distance.
    static let limit = 1_000

    /// The number of items, from 0 to `limit`.
    func count(visible: Int) -> Int {
        switch self {
        case .none: 0
        case .items(let count): min(max(0, count), Self.limit)
        case .pages(let pages):
            // Also for what is no number.
            pages > 0 ? Int(min((pages * Double(visible)).rounded(.up), Double(Self.limit))) : 0
        }
    }
}
