/// The degree to which this process, or the machine, is short of memory.
public enum MemoryPressure: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Programs wait for memory some of the time, or the control group is at a limit while they do: to give back what
    /// can be had again keeps it from getting worse.
    case warning
    /// Everything waits for memory, or the control group ran out of it at its hard limit: the system ends processes, or
    /// may soon.
    case critical

    /// Orders by urgency.
    public static func < (left: MemoryPressure, right: MemoryPressure) -> Bool {
        left.rawValue < right.rawValue
    }
}
