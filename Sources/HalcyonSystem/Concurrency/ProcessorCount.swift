internal import FoundationEssentials

/// The number of processors.
public enum ProcessorCount {
    /// Those this process may run on; at least 1. A container may allow fewer than the machine has.
    public static var available: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }
}
