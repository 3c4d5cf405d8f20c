/// The conditions under which programs are played.
struct Conditions: Sendable {
    /// The seconds after which a program that has not ended is taken for hanging.
    var patience = 30
    /// The rules that may be broken.
    var ignored: Set<Finding.Rule> = []
    var planted: PlantedDefect?

    /// The same conditions as arguments for another process.
    var arguments: [String] {
        ["--patience", "\(patience)"] + ignored.map(\.rawValue).sorted().flatMap { ["--ignore", $0] }
            + (planted.map { ["--planted", $0.rawValue] } ?? [])
    }
}
