internal import Glibc

/// The files in which the kernel reports memory pressure.
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

    /// Finds the control group from file contents given by a function, which answers nil for a file that does not
    /// exist.
    public init(contentsOfFile: (_ path: String) -> String?) {
        stallFiles = []
        let folders = ControlGroups(contentsOfFile: contentsOfFile).unifiedFolders
        // The process's own group, or the root.
        let folder = [folders.first, folders.last].compactMap(\.self).first {
            contentsOfFile("\($0)/memory.events") != nil
        }
        if let folder {
            stallFiles.append("\(folder)/memory.pressure")
            eventsFile = "\(folder)/memory.events"
        }
        stallFiles.append("/proc/pressure/memory")
    }
}

/// The counts of `memory.events` that mean pressure (https://docs.kernel.org/admin-guide/cgroup-v2.html).
struct MemoryEvents: Equatable {
    /// Above the soft limit, `memory.high`.
    var high = 0
    /// At the hard limit, `memory.max`.
    var max = 0
    /// The number of times that nothing could be reclaimed at the hard limit, and processes were ended.
    var critical = 0

    init() {}

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count == 2, let count = Int(fields[1]), count >= 0 else { continue }
            switch fields[0] {
            case "high": high = count
            case "max": max = count
            case "oom", "oom_kill": critical = critical.addingReportingOverflow(count).partialValue
            default: continue
            }
        }
    }

    /// Returns the difference to an earlier reading.
    ///
    /// A group that reads and writes many files is at its limits all the time, because the pages of files fill them,
    /// and lacks nothing: those are taken back at no cost. It lacks memory if its processes wait for some.
    ///
    /// - Parameter stall: the time that processes wait; nil if the system does not report it. The soft limit then
    ///   counts, which is set for that purpose, and the hard one does not.
    func pressure(since earlier: MemoryEvents, _ stall: MemoryStall?) -> MemoryPressure? {
        if critical > earlier.critical { return .critical }
        guard let stall else { return high > earlier.high ? .warning : nil }
        return (high > earlier.high || max > earlier.max) && stall.isConsiderable ? .warning : nil
    }
}

/// The share of time in which processes wait for memory (https://docs.kernel.org/accounting/psi.html).
struct MemoryStall: Equatable {
    /// The percentage of the last ten seconds in which some process waited.
    var some: Double

    /// Reads the contents of a pressure file; nil if it is none.
    init?(_ text: String) {
        let line = text.split(separator: "\n").first { $0.hasPrefix("some ") }
        let field = line?.split(separator: " ").first { $0.hasPrefix("avg10=") }
        guard let field, let value = Double(field.dropFirst("avg10=".count)) else { return nil }
        some = value
    }

    /// A Boolean value that indicates whether it is noticeable: half a second of ten.
    var isConsiderable: Bool { some >= 5 }
}
