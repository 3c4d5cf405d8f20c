/// How short of memory this process, or the machine, is.
public enum MemoryPressure: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Programs wait for memory some of the time, or the control group is at its soft limit: to give back what can be
    /// had again keeps it from getting worse.
    case warning
    /// Everything waits for memory, or the control group is at its hard limit: the system may soon end processes.
    case critical

    /// Orders by urgency.
    public static func < (left: MemoryPressure, right: MemoryPressure) -> Bool {
        left.rawValue < right.rawValue
    }
}
