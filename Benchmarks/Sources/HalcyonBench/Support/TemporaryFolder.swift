internal import FoundationEssentials
internal import Glibc

/// A folder that exists as long as this object.
final class TemporaryFolder: Sendable {
    let path: String
    private let cleanUp: CleanUp.Token

    /// Makes a folder below `base`. Default: `$TMPDIR`, or `/tmp`.
    init(in base: String = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp") throws {
        var template = Array("\(base)/halcyon-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw BenchmarkError("no folder can be made in \(base): \(String(cString: strerror(errno)))")
        }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.path = path
        cleanUp = CleanUp.Token { try? FileManager.default.removeItem(atPath: path) }
    }

    /// The path of a file in it.
    func file(_ name: String) -> String {
        "\(path)/\(name)"
    }
}
