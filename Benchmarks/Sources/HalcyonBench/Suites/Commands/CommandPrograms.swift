internal import Glibc

/// The programs of the `commands` suite, where they are installed.
struct CommandPrograms {
    /// The command `halcyon`; `nil` if it was not built.
    let halcyon: String?

    init(_ options: SuiteOptions) {
        halcyon = options.command ?? Self.builtCommand
    }

    /// The path of a program in `PATH`; `nil` if there is none.
    static func path(of program: String) -> String? {
        let folders = getenv("PATH").map { String(cString: $0) } ?? ""
        return folders.split(separator: ":").map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }

    /// Says what is not measured, and why.
    static func note(_ text: String) {
        StandardStream.error.writeLine("halcyon-bench: commands: \(text)")
    }

    /// The command beside this program, or of the package that this package measures.
    private static var builtCommand: String? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let own = path.split(separator: "/").map(String.init)
        var candidates = [own.dropLast() + ["HalcyonCommand"]]
        if let package = own.lastIndex(of: "Benchmarks") {
            candidates.append(own[..<package] + [".build", "release", "HalcyonCommand"])
        }
        return candidates.map { "/" + $0.joined(separator: "/") }.first { access($0, X_OK) == 0 }
    }
}
