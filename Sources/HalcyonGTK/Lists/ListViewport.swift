internal import CGTK
internal import Halcyon

/// The items of one view that are in sight, the direction of its scrolling, and the prefetching of the next items.
@MainActor
final class ListViewport {
    /// The positions in sight; `nil` before the first.
    private(set) var visible: ClosedRange<Int>?
    /// A Boolean value that indicates whether the view was last scrolled to higher positions.
    private(set) var isForward = true
    weak var binder: ListBinder?
    let configuration: ImageListFactory.Configuration
    /// The items that are prefetched, by address.
    var entries: [UnsafeMutableRawPointer: Entry] = [:]
    /// The items that are still to come into sight, the nearest first.
    var order: [Entry] = []
    /// The cell whose size counts.
    weak var cell: ListCell?
    /// The layouts that are followed until the cell has a size.
    var layouts: LayoutObserver?

    init(_ binder: ListBinder) {
        self.binder = binder
        configuration = binder.configuration
    }

    /// Notes the positions in sight.
    func move(to range: ClosedRange<Int>) {
        if let visible {
            let lower = range.lowerBound - visible.lowerBound
            let upper = range.upperBound - visible.upperBound
            // A view that grew or shrank at both ends was not scrolled.
            if lower >= 0, upper >= 0, lower + upper > 0 { isForward = true }
            if lower <= 0, upper <= 0, lower + upper < 0 { isForward = false }
        }
        visible = range
    }
}
