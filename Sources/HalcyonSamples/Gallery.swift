import FoundationEssentials

/// The sample photographs in a folder.
enum Gallery {
    /// Draws every photograph and writes it into a folder, which is made where it does not exist.
    static func draw(into folder: URL, photographs: [Photograph] = Photograph.all) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for photograph in photographs {
            let start = ContinuousClock.now
            let data = try await photograph.encoded()
            try data.write(to: folder.appending(path: photograph.name), options: .atomic)
            let name = photograph.name + String(repeating: " ", count: max(0, 20 - photograph.name.count))
            let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
            print("  \(name)\(photograph.size)  \(data.count / 1_000) kB  \(Int(milliseconds)) ms")
        }
    }
}
