/// A program whose whole runs are measured, each in a new folder.
struct CommandContender {
    let name: String
    /// The highest ratio of ours to this one that the design allows.
    var budget: Double?
    let path: String
    let arguments: (TemporaryFolder) throws -> [String]
    private(set) var costs: [ProcessCost] = []

    init(
        _ name: String,
        budget: Double? = nil,
        path: String,
        arguments: @escaping (TemporaryFolder) throws -> [String]
    ) {
        self.name = name
        self.budget = budget
        self.path = path
        self.arguments = arguments
    }

    /// Runs all in turn, several times.
    static func measure(_ contenders: inout [CommandContender], samples: Int) throws {
        // Removed at the end: a file system that has just removed many files takes longer to make new ones.
        var folders: [TemporaryFolder] = []
        defer { folders = [] }
        for _ in 0..<samples {
            for index in contenders.indices {
                let folder = try TemporaryFolder()
                folders.append(folder)
                let contender = contenders[index]
                let cost = try MeasuredProcess.run(contender.path, contender.arguments(folder), in: folder.path)
                contenders[index].costs.append(cost)
            }
        }
    }
}
