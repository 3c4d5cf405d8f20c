internal import CGTK

/// Tells the widgets of one window of the end of each layout: sizes are known then, and nothing is drawn yet. It belongs
/// to the frame clock.
///
/// There is one handler for all of them, because GObject does not call one that is added while its signal is emitted: a
/// widget that is mapped by a layout, as the cell of a list is that comes into sight, is told of the end of that layout.
///
/// A widget that is scrolled away is told of none until its content has moved as far as the widget lies from what is seen
/// of it, so that a layout costs as much as changes in it. GTK tells nobody of a child that moves in content which stays
/// where it is: once layouts have ceased for a while, all are told.
@MainActor
final class LayoutObserver {
    /// A closure to call after layouts, with what can be seen then. It returns the distance from sight of what it looks at;
    /// `nil`: it is called after the next layout in any case.
    typealias Action = (Sight) -> Sight.Distance?

    private struct Listener {
        /// Listeners are told in the order of their numbers.
        let number: Int
        let layoutDidEnd: Action
        /// The content in which it is out of sight, and its group there; `nil` if it is told of the next layout.
        var rest: (content: UnsafeMutableRawPointer, group: Int)?
    }

    private var listeners: [ObjectIdentifier: Listener] = [:]
    /// The listeners that are told of the next layout.
    private var awake: Set<ObjectIdentifier> = []
    /// The listeners that are not, by the content of a viewport in which they are.
    private var contents: [UnsafeMutableRawPointer: ScrolledContent<ObjectIdentifier>] = [:]
    /// The wait until layouts have ceased.
    private var look: Task<Void, Never>?
    /// Measures that wait.
    var clock: any Clock<Duration> = ContinuousClock()
    /// The time after a layout in which all listeners are told.
    static let delay = Duration.milliseconds(100)
    /// The number of places in the window that were looked at after the last layout.
    private(set) var lookCount = 0
    /// The number of listeners that were told of the last layout.
    private(set) var toldCount = 0

    private static let key = g_quark_from_static_string("halcyon-layout-observer")

    private init() {}

    deinit { look?.cancel() }

    /// Returns the observer of a frame clock, made where there is none.
    static func of(_ clock: UnsafeMutableRawPointer) -> LayoutObserver {
        if let data = g_object_get_qdata(clock.object, key) {
            return Unmanaged<LayoutObserver>.fromOpaque(data).takeUnretainedValue()
        }
        let observer = LayoutObserver()
        // The handler goes before it does.
        let data = Unmanaged.passRetained(observer).toOpaque()
        g_object_set_qdata_full(clock.object, key, data) { pointer in
            Unmanaged<LayoutObserver>.fromOpaque(nonnull(pointer)).release()
        }
        let layout: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            let observer = Unmanaged<LayoutObserver>.fromOpaque(nonnull(data)).takeUnretainedValue()
            MainActor.assumeIsolated { observer.layoutDidEnd() }
        }
        connect(clock, "layout", layout, data, after: true)
        return observer
    }

    /// Calls a closure after layouts, until `remove`. One that has been added is called after the next layout.
    ///
    /// - Parameter number: Its place in the order of calls. Default: after all others.
    func add(_ listener: AnyObject, number: Int = .max, _ layoutDidEnd: @escaping Action) {
        let key = ObjectIdentifier(listener)
        if listeners[key]?.number == number { return wake(key) }
        remove(listener)
        listeners[key] = Listener(number: number, layoutDidEnd: layoutDidEnd)
        awake.insert(key)
    }

    func remove(_ listener: AnyObject) {
        let key = ObjectIdentifier(listener)
        wake(key)
        listeners[key] = nil
        awake.remove(key)
    }

    /// Returns whether a listener is told of the next layout in any case.
    func tellsNext(_ listener: AnyObject) -> Bool { awake.contains(ObjectIdentifier(listener)) }

    /// The number of closures.
    var count: Int { listeners.count }

    private func layoutDidEnd() {
        let sight = Sight()
        let hasScrolled = wakeWhatMayBeInSight(sight)
        toldCount = tell(sight)
        lookCount = sight.lookCount
        // What is scrolled is looked at when it rests.
        if hasScrolled || look == nil { lookLater() }
    }

    /// Returns whether a content has moved.
    private func wakeWhatMayBeInSight(_ sight: Sight) -> Bool {
        var hasScrolled = false
        for content in Array(contents.keys) {
            guard let (moved, keys) = contents[content]?.move(to: sight.scrolledPlace(of: content)) else { continue }
            hasScrolled = hasScrolled || moved
            for key in keys { listeners[key]?.rest = nil }
            awake.formUnion(keys)
            if contents[content]?.isEmpty == true { contents[content] = nil }
        }
        return hasScrolled
    }

    /// Tells those that are awake.
    ///
    /// - Returns: Their number.
    private func tell(_ sight: Sight) -> Int {
        let due = awake.compactMap { key in listeners[key].map { (number: $0.number, key: key) } }
        for (number, key) in due.sorted(by: { $0.number < $1.number }) {
            // A listener may end others, and add some, which are told of the next layout.
            guard let listener = listeners[key], listener.number == number else { continue }
            let distance = listener.layoutDidEnd(sight)
            guard let distance, listeners[key]?.number == number else { continue }
            rest(key, distance, sight)
        }
        return due.count
    }

    private func rest(_ key: ObjectIdentifier, _ distance: Sight.Distance, _ sight: Sight) {
        let content = distance.content
        if contents[content] == nil { contents[content] = sight.scrolledPlace(of: content).map { ScrolledContent($0) } }
        guard let group = contents[content]?.insert(key, distance.length) else { return }
        listeners[key]?.rest = (content, group)
        awake.remove(key)
    }

    private func wake(_ key: ObjectIdentifier) {
        guard let (content, group) = listeners[key]?.rest else { return }
        listeners[key]?.rest = nil
        awake.insert(key)
        contents[content]?.remove(key, from: group)
        if contents[content]?.isEmpty == true { contents[content] = nil }
    }

    private func lookLater() {
        look?.cancel()
        look = nil
        guard !contents.isEmpty else { return }
        let clock = clock
        look = Task { [weak self] in
            guard (try? await clock.sleep(for: Self.delay)) != nil, !Task.isCancelled, let self else { return }
            look = nil
            for key in Array(listeners.keys) { wake(key) }
            _ = tell(Sight())
        }
    }
}

/// Widgets out of sight in the content of a viewport, by the way that it has to move before they may come into sight.
struct ScrolledContent<Widget: Hashable> {
    private var place: Sight.ScrolledPlace
    /// The way that it has moved so far, in points, whatever the direction.
    private var way = 0.0
    /// The widgets, in groups of those whose way ends within as many points.
    private var groups: [Int: Set<Widget>] = [:]
    /// The first group that was not passed.
    private var next = 0
    private static var length: Double { 64 }

    init(_ place: Sight.ScrolledPlace) {
        self.place = place
    }

    var isEmpty: Bool { groups.isEmpty }

    /// Adds a widget at a distance from sight, in points.
    ///
    /// - Returns: Its group.
    mutating func insert(_ widget: Widget, _ distance: Double) -> Int {
        // A number that is too large for one is that of what never comes into sight.
        let group = Int(exactly: ((way + distance) / Self.length).rounded(.down)) ?? .max
        groups[group, default: []].insert(widget)
        return group
    }

    mutating func remove(_ widget: Widget, from group: Int) {
        groups[group]?.remove(widget)
        if groups[group]?.isEmpty == true { groups[group] = nil }
    }

    /// Notes the place of the content after a layout; `nil` if it has none.
    ///
    /// - Returns: Whether it has moved, and the widgets that may be in sight now, which are removed.
    /// - Complexity: O(*k* + *m*), where *k* is the number of those widgets and *m* that of the groups that are passed.
    mutating func move(to place: Sight.ScrolledPlace?) -> (moved: Bool, widgets: [Widget]) {
        guard let place, let step = self.place.way(to: place) else {
            let all = groups.values.flatMap(\.self)
            groups = [:]
            if let place { self.place = place }
            return (true, all)
        }
        guard step > 0 else { return (false, []) }
        self.place = place
        way += step
        let last = Int(way / Self.length)
        let passed = last - next < groups.count ? Array(next...last) : groups.keys.filter { $0 <= last }
        next = last
        return (true, passed.flatMap { groups.removeValue(forKey: $0) ?? [] })
    }
}
