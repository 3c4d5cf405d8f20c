internal import CGTK
internal import Halcyon

extension ListBinder {
    /// Finds out which items of each view are in sight, prefetches the next ones, and drops images far away.
    func updateViewports() {
        var boundCells: [UnsafeMutableRawPointer: [ListCell]] = [:]
        for cell in cells.values where cell.binding != nil {
            if let view = cell.view { boundCells[view, default: []].append(cell) }
        }
        for (view, viewport) in viewports where boundCells[view]?.contains(where: \.isMapped) != true {
            viewports[view] = nil
            viewport.end()
        }
        // Closures of the program run in this loop, and may end a view: those that are left have to be kept.
        let views = boundCells.map { (ObjectReference(retaining: $0), $1) }
        for (view, cells) in views { update(view.pointer, cells) }
    }

    private func update(_ view: UnsafeMutableRawPointer, _ cells: [ListCell]) {
        var visible: [Int: ListCell] = [:]
        let sight = Sight()
        for cell in cells where cell.isMapped && sight.includes(cell.content.widget) {
            if let item = cell.item { visible[item.position] = cell }
        }
        guard !hasEnded, let first = visible.keys.min(), let last = visible.keys.max(),
            let model = Self.model(of: view)
        else { return }
        let viewport = viewports[view] ?? ListViewport(self)
        viewports[view] = viewport
        viewport.move(to: first...last)
        dropImages(of: cells, around: first...last)
        guard let edge = visible[viewport.isForward ? last : first] else { return }
        viewport.prefetch(from: model, for: edge, visible: Set(visible.values.compactMap(\.item?.object)))
    }

    /// Drops the images of cells that are more than a page away.
    private func dropImages(of cells: [ListCell], around visible: ClosedRange<Int>) {
        for cell in cells where !cell.isMapped && cell.binding?.hasRequest == true {
            guard let position = cell.item?.position, cell.content.display.content == .image,
                cell.content.display.task?.state == .finished
            else { continue }
            if position < visible.lowerBound - visible.count || position > visible.upperBound + visible.count {
                dropImage(of: cell)
            }
        }
    }

    /// The model of a view.
    private static func model(of view: UnsafeMutableRawPointer) -> ObjectReference? {
        let isGrid = view.isInstance(of: gtk_grid_view_get_type())
        let model = isGrid ? gtk_grid_view_get_model(view.opaque) : gtk_list_view_get_model(view.opaque)
        return model.map { ObjectReference(retaining: UnsafeMutableRawPointer($0)) }
    }
}
