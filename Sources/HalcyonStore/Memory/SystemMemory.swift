internal import Glibc

/// The amount of memory that this process may use.
public struct SystemMemory: Sendable, Hashable {
    /// The number of bytes: the smallest of the limits of the control groups the process is in and the machine's
    /// memory.
    public let available: Int

    /// Reads the limits of this process.
    ///
    /// Sources: cgroup v2 `memory.max` of each group from the process's own up to the root, cgroup v1
    /// `memory.limit_in_bytes`, and `MemTotal` of `/proc/meminfo`. If none can be read, 1 GiB is assumed.
    public init() {
        self.init(contentsOfFile: Self.readSmallFile)
    }

    /// Reads the limits from file contents given by a function, which returns nil for a file that does not exist.
    public init(contentsOfFile: (_ path: String) -> String?) {
        let groups = ControlGroups(contentsOfFile: contentsOfFile)
        let files =
            groups.unifiedFolders.map { "\($0)/memory.max" }
            + groups.memoryFolders.map { "\($0)/memory.limit_in_bytes" }
        var limits = files.compactMap { file in
            // "max" is no limit; so is the page-rounded largest number that version 1 writes.
            contentsOfFile(file)?.split(separator: "\n").first.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        }
        if let memory = contentsOfFile("/proc/meminfo") {
            for line in memory.split(separator: "\n") where line.hasPrefix("MemTotal:") {
                let number = line.dropFirst("MemTotal:".count).split(separator: " ").first.flatMap { Int($0) }
                if let number, number > 0 {
                    let (bytes, overflows) = number.multipliedReportingOverflow(by: 1024)
                    limits.append(overflows ? Int.max : bytes)
                }
            }
        }
        available = limits.min() ?? 1 << 30
    }

    /// A quarter of the available memory: the default cost limit of a memory cache, in bytes.
    public var defaultCostLimit: Int { available / 4 }

    static func readSmallFile(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { return nil }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

/// The folders of the control groups that this process is in, by `/proc/self/cgroup`: its own group first, then those
/// above it. Inside a container only the root exists, and shows the limits of the container.
struct ControlGroups {
    /// The folders of cgroup v2; empty where it is not used.
    private(set) var unifiedFolders: [String] = []
    /// The folders of the memory controller of cgroup v1; empty where it is not used.
    private(set) var memoryFolders: [String] = []

    init(contentsOfFile: (_ path: String) -> String?) {
        for line in contentsOfFile("/proc/self/cgroup")?.split(separator: "\n") ?? [] {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            if fields[0] == "0", fields[1].isEmpty {
                unifiedFolders = Self.folders("/sys/fs/cgroup", fields[2])
            } else if fields[1].split(separator: ",").contains("memory") {
                memoryFolders = Self.folders("/sys/fs/cgroup/memory", fields[2])
            }
        }
    }

    private static func folders(_ root: String, _ group: Substring) -> [String] {
        let components = group.split(separator: "/").filter { $0 != ".." }
        return (0...components.count).reversed().map { ([root[...]] + components.prefix($0)).joined(separator: "/") }
    }
}
