internal import Glibc

/// The files that tell of memory pressure.
public struct MemoryPressureSources: Sendable, Hashable {
    /// Files that take pressure stall triggers (https://docs.kernel.org/accounting/psi.html): the first that does is
    /// used. Default: `memory.pressure` of the process's control group, then `/proc/pressure/memory`.
    public var stallFiles: [String]
    /// The `memory.events` of the process's control group (cgroup v2); nil if there is none.
    public var eventsFile: String?

    /// Files of your own, such as those of another control group.
    public init(stallFiles: [String], eventsFile: String?) {
        self.stallFiles = stallFiles
        self.eventsFile = eventsFile
    }

    /// The files of this process.
    public init() {
        self.init(contentsOfFile: SystemMemory.readSmallFile)
    }

    /// Finds the control group from file contents given by a function, which answers nil for a file that does not exist.
    public init(contentsOfFile: (_ path: String) -> String?) {
        stallFiles = []
        let lines = contentsOfFile("/proc/self/cgroup")?.split(separator: "\n") ?? []
        let path = lines.first { $0.hasPrefix("0::/") }?.dropFirst("0::/".count)
        if let path {
            // Inside a container the group's own path does not exist; the root then shows that of the container.
            let components = path.split(separator: "/").filter { $0 != ".." }
            let folders = [(["/sys/fs/cgroup"] + components).joined(separator: "/"), "/sys/fs/cgroup"]
            let folder = folders.first { contentsOfFile("\($0)/memory.events") != nil }
            if let folder {
                stallFiles.append("\(folder)/memory.pressure")
                eventsFile = "\(folder)/memory.events"
            }
        }
        stallFiles.append("/proc/pressure/memory")
    }
}

/// The counts of `memory.events` that mean pressure (https://docs.kernel.org/admin-guide/cgroup-v2.html).
struct MemoryEvents: Equatable {
    /// Above the soft limit, `memory.high`.
    var high = 0
    /// At the hard limit, `memory.max`, and processes ended because of it.
    var critical = 0

    init() {}

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count == 2, let count = Int(fields[1]), count >= 0 else { continue }
            switch fields[0] {
            case "high": high = count
            case "max", "oom", "oom_kill": critical = critical.addingReportingOverflow(count).partialValue
            default: continue
            }
        }
    }

    /// What happened since an earlier reading.
    func pressure(since earlier: MemoryEvents) -> MemoryPressure? {
        critical > earlier.critical ? .critical : high > earlier.high ? .warning : nil
    }
}
