import FoundationEssentials

/// What this process holds of the system.
struct ProcessResources: Equatable {
    let descriptors: Int
    let threads: Int

    init() throws {
        // The listing itself takes a descriptor, the same each time.
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
            .count { try Self.isTransportThread($0) }
    }

    /// The pool of Swift's own threads grows and shrinks as it likes.
    private static func isTransportThread(_ id: String) throws -> Bool {
        let name = FileManager.default.contents(atPath: "/proc/self/task/\(id)/comm") ?? Data()
        return String(decoding: name, as: UTF8.self).hasPrefix("halcyon-http")
    }
}
