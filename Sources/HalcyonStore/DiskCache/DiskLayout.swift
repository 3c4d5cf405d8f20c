/// Where things lie in the folder of a disk cache; `FORMAT.md` describes it byte by byte.
struct DiskLayout: Sendable, Hashable {
    /// The version of the layout. A cache of another version beside it is never read.
    static let version = 1
    /// "Halc": marks the index in its header.
    static let applicationID = 0x4861_6c63

    let folder: String

    var versionFolder: String { "\(folder)/v\(Self.version)" }
    var index: String { "\(versionFolder)/index.sqlite" }
    var indexFiles: [String] { [index + "-wal", index + "-shm", index + "-journal", index] }
    var lock: String { "\(versionFolder)/lock" }
    var bodies: String { "\(versionFolder)/bodies" }
    var incoming: String { "\(versionFolder)/incoming" }

    func incoming(_ file: Int64) -> String {
        "\(incoming)/\(Self.name(file))"
    }

    /// The folder a body lies in, two levels below ``bodies``: 256 folders, so that a million files make 4,000 each.
    func bodyFolder(_ file: Int64) -> String {
        let name = Self.name(file)
        return "\(bodies)/\(name.prefix(1))/\(name.dropFirst().prefix(1))"
    }

    func body(_ file: Int64) -> String {
        "\(bodyFolder(file))/\(Self.name(file))"
    }

    /// A number no file has: random, so that processes need not agree on one. Of 63 bits, since SQLite's are signed.
    static func newFile() -> Int64 {
        Int64.random(in: 0...Int64.max)
    }

    /// 16 hexadecimal digits. It never contains anything of the key.
    static func name(_ file: Int64) -> String {
        let digits = String(UInt64(bitPattern: file), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The number of a name; nil if the cache did not give the name.
    static func file(_ name: String) -> Int64? {
        guard name.utf8.count == 16, let file = Int64(name, radix: 16), self.name(file) == name else { return nil }
        return file
    }
}
