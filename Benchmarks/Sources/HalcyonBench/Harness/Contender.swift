/// One way of doing a case's work: ours, or one that ours is measured against.
struct Contender {
    /// What it is, as the table shows it.
    let name: String
    /// Does the work this many times.
    let run: (_ repetitions: Int) async throws -> Void

    init(_ name: String, run: @escaping (_ repetitions: Int) async throws -> Void) {
        self.name = name
        self.run = run
    }
}

/// What a case compares.
struct Contest {
    let ours: Contender
    /// Each gives a row of its own. None leaves the row without a ratio.
    let references: [Contender]

    init(ours: Contender, references: [Contender] = []) {
        self.ours = ours
        self.references = references
    }
}
