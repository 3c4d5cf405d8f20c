/// A defect that the search itself causes, so that a test can check that it is found.
enum PlantedDefect: String, Codable, Sendable, CaseIterable {
    /// The origin treats every user as the first one.
    case sharesUsers
    /// A removal covers the cache of the pipeline alone, and none that options name.
    case keepsNamed
    /// The process ends by itself where a program removes everything.
    case crashes
    /// A program does not end where it removes everything.
    case hangs
}
