/// The steps that a provider runs in, its own last. Loads that it begins are begun within them.
struct ProviderSteps: Hashable, Sendable {
    /// Those of the load of its bytes, with the loader that it is of.
    private let enclosing: [Interception.Place]
    private let own: Interception.Place
    private let isLoaded: Bool

    /// The steps of a source's provider; `nil` for other sources, and for a provider whose bytes are in memory: it
    /// begins no loads.
    ///
    /// - Parameters:
    ///   - enclosing: The steps in which the load was begun.
    ///   - pipeline: The pipeline of the load.
    init?(_ source: Source, within enclosing: [Interception.Place], of pipeline: ObjectIdentifier) {
        guard case .provider(let provider) = source.location, !source.hasLocalBytes else { return nil }
        own = Interception.Place(part: .provider(provider), pipeline: pipeline)
        isLoaded = source.loaded != nil
        self.enclosing = enclosing + (source.loaded.map { [$0.place] } ?? [])
    }

    /// All steps, in the order in which they were begun.
    var all: [Interception.Place] { enclosing + [own] }

    /// The names of the providers that would wait for each other, the same at both ends; `nil` if none would.
    ///
    /// Loads within a provider share no work in progress with loads outside of it. So a provider that needs its own
    /// bytes, by whatever way, comes to itself within its own steps. A provider of a loader may be the same as one of
    /// another loader, whose source it loads; the loader itself is not asked there.
    var cycle: [String]? {
        guard let first = enclosing.firstIndex(of: own) else { return nil }
        if isLoaded, let loader = enclosing.last, !enclosing.dropLast().contains(loader) { return nil }
        return (enclosing[first...] + [own]).compactMap { place in
            if case .provider(let provider) = place.part { provider.description } else { nil }
        }
    }
}
