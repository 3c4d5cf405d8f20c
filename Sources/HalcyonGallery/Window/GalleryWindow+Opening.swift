internal import CGTK
internal import HalcyonGTK

extension GalleryWindow {
    /// Adds the images at these locations to those of the window.
    ///
    /// - Parameter locations: Paths and URLs, as a person types them.
    func open(_ locations: [String]) {
        guard !locations.isEmpty else { return }
        let before = reading
        readingCount += 1
        let number = readingCount
        reading = Task { [weak self] in
            // One after the other; whoever cancels the last cancels all.
            await withTaskCancellationHandler {
                await before?.value
            } onCancel: {
                before?.cancel()
            }
            for await batch in ItemReader().batches(of: locations) {
                guard let self, !isClosed, !Task.isCancelled else { return }
                collection.append(batch.items)
                isTruncated = isTruncated || batch.isTruncated
                if let problem = batch.problems.last { notice.show(problem.message) }
                collectionDidChange()
            }
            guard let self, !isClosed, !Task.isCancelled else { return }
            if number == readingCount { reading = nil }
            readingDidEnd(of: locations)
        }
        updateTitle()
    }

    private func readingDidEnd(of locations: [String]) {
        collectionDidChange()
        // An image that was named alone is what the person wants to see.
        if collection.count == 1, page == .grid, locations.count == 1 { open(0) }
    }

    /// Removes all images from the window.
    func clear() {
        reading?.cancel()
        reading = nil
        isTruncated = false
        detail.show(nil)
        collection.removeAll()
        show(.empty)
        collectionDidChange()
    }

    /// Removes the image that is shown in full, or else the selected one, from the window. Its file stays.
    func removeImage() {
        let isInFull = page == .detail
        guard let position = isInFull ? shownPosition : collection.selectedPosition,
            let item = collection.item(at: position)
        else { return }
        collection.remove(item)
        let count = collection.matchCount
        if isInFull, count > 0 {
            open(min(position, count - 1))
        } else {
            if isInFull { detail.show(nil) }
            collection.selectedPosition = count > 0 ? min(position, count - 1) : nil
            show(collection.count == 0 ? .empty : count == 0 ? .notFound : .grid)
            if let next = collection.selectedPosition { grid.reveal(next) }
            grid.focus()
        }
        collectionDidChange()
        notice.show("“\(item.name)” was removed from this window")
    }

    /// Shows the image at a position in full.
    func open(_ position: Int) {
        guard let item = collection.item(at: position) else { return }
        // While the cells of the grid are on the screen: they give their images up with it.
        let thumbnail = detail.thumbnail(item)
        lastPosition = position
        // The search stays as it is: it says which images come before and after.
        gtk_search_bar_set_search_mode(searchBar.opaque, (collection.isSearching).gboolean)
        show(.detail)
        detail.show(item, thumbnail: thumbnail)
        updateTitle()
        panel.update()
    }

    /// Shows the image that many places further, if there is one.
    func turn(by distance: Int) {
        guard let position = shownPosition else { return }
        open(min(max(0, position + distance), collection.matchCount - 1))
    }

    /// Goes back to the grid, at the image that was shown.
    func back() {
        guard page == .detail else { return }
        collection.selectedPosition = shownPosition
        detail.show(nil)
        show(collection.matchCount == 0 ? .notFound : .grid)
        if let position = collection.selectedPosition { grid.reveal(position) }
        grid.focus()
        updateTitle()
    }
}
