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
        var limits: [Int] = []
        if let groups = contentsOfFile("/proc/self/cgroup") {
            for line in groups.split(separator: "\n") {
                let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
                guard fields.count == 3 else { continue }
                if fields[0] == "0", fields[1].isEmpty {
                    limits += Self.limits("/sys/fs/cgroup", fields[2], "memory.max", contentsOfFile)
                } else if fields[1].split(separator: ",").contains("memory") {
                    limits += Self.limits("/sys/fs/cgroup/memory", fields[2], "memory.limit_in_bytes", contentsOfFile)
                }
            }
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

    /// The limits set in a group and those above it. Inside a container the group's own path does not exist, but the
    /// root does, and shows the container's limit.
    private static func limits(
        _ root: String,
        _ group: Substring,
        _ name: String,
        _ contentsOfFile: (String) -> String?
    ) -> [Int] {
        var components = group.split(separator: "/").filter { $0 != ".." }
        var limits: [Int] = []
        while true {
            let folder = ([root[...]] + components).joined(separator: "/")
            let text = contentsOfFile("\(folder)/\(name)")
            // "max" is no limit; so is the page-rounded largest number that version 1 writes.
            if let line = text?.split(separator: "\n").first, let limit = Int(line), limit > 0 {
                limits.append(limit)
            }
            if components.popLast() == nil { return limits }
        }
    }

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
