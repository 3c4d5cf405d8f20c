/// A request after the first steps of interceptors, with those whose second steps its load comes to.
struct PreparedRequest: Sendable {
    /// With completed options.
    let request: ImageRequest
    /// The chain, the first outermost; empty for a load that none intercepts.
    let interceptors: [Hook<any LoadIntercepting>]
    /// The steps in which the load was begun.
    let enclosing: [Interception.Place]

    /// The ``WorkNumber`` of the call: what is removed since is not stored, however long interceptors take.
    let called = WorkNumber.next()

    /// A Boolean value that indicates whether the load passes a chain.
    var isIntercepted: Bool { !interceptors.isEmpty }

    init(
        _ request: ImageRequest,
        interceptors: [Hook<any LoadIntercepting>] = [],
        enclosing: [Interception.Place] = []
    ) {
        self.request = request
        self.interceptors = interceptors
        self.enclosing = enclosing
    }
}
