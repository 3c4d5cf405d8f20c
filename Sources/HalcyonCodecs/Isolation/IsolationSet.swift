/// The kinds of protection that separate the decoding of an image from the program.
public struct IsolationSet: OptionSet, Sendable, Hashable {
    /// A bit for each kind.
    public let rawValue: UInt8

    /// The kinds of these bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A process of its own with limits (`setrlimit(2)`): a crash ends that process only, and its memory and time are bounded.
    public static let process = IsolationSet(rawValue: 1 << 0)
    /// No access to files but those a decoder needs, such as fonts (`landlock(7)`).
    public static let files = IsolationSet(rawValue: 1 << 1)
    /// No system calls but those of computing: no network, no other processes, no programs (`seccomp(2)`).
    public static let systemCalls = IsolationSet(rawValue: 1 << 2)

    /// All kinds.
    public static let all: IsolationSet = [.process, .files, .systemCalls]

    private static let names: [(IsolationSet, String)] = [
        (.process, "process"), (.files, "files"), (.systemCalls, "system calls"),
    ]
}

extension IsolationSet: CustomStringConvertible {
    /// The names of the kinds, such as "process, files", or "none".
    public var description: String {
        isEmpty ? "none" : Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
