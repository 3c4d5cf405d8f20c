/// The protection that a worker reached on this machine, and why it did not reach more.
public struct IsolationReport: Sendable, Hashable {
    /// The kinds of protection that hold.
    public let reached: IsolationSet
    /// The version of Landlock that the kernel offers; 0 for none. From 4 on a worker makes no TCP connection, from 6 on it
    /// signals no process outside, both also where system calls are not filtered.
    public let landlockVersion: Int
    /// The reason for each kind that does not hold, such as "system calls: Operation not permitted".
    public let reasons: [String]

    /// A report.
    public init(reached: IsolationSet, landlockVersion: Int, reasons: [String]) {
        self.reached = reached
        self.landlockVersion = landlockVersion
        self.reasons = reasons
    }
}
