/// The paths in the folder of a disk cache; `FORMAT.md` describes it byte by byte.
struct DiskLayout: Sendable, Hashable {
    /// The version of the layout. A cache of another version beside it is never read.
    static let version = 3
    /// "Halc": marks the index in its header.
    static let applicationID = 0x4861_6c63

    let folder: String
    let bodies: String

    init(folder: String) {
        self.folder = folder
        bodies = "\(folder)/v\(Self.version)/bodies"
    }

    var versionFolder: String { "\(folder)/v\(Self.version)" }
    var index: String { "\(versionFolder)/index.sqlite" }
    var indexFiles: [String] { [index + "-wal", index + "-shm", index + "-journal", index] }
    var lock: String { "\(versionFolder)/lock" }
    var incoming: String { "\(versionFolder)/incoming" }

    func incoming(_ file: Int64) -> String {
        "\(incoming)/\(Self.name(file))"
    }

    /// The folder a body lies in, two levels below ``bodies``: 256 folders, so that a million files make 4,000 each.
    func bodyFolder(_ file: Int64) -> String {
        let name = Self.name(file)
        return "\(bodies)/\(name.prefix(1))/\(name.dropFirst().prefix(1))"
    }

    /// Written digit by digit, because putting strings together takes a tenth of reading a small file.
    func body(_ file: Int64) -> String {
        let prefixLength = bodies.utf8.count
        return String(unsafeUninitializedCapacity: prefixLength + 21) { path in
            var end = path.update(fromContentsOf: bodies.utf8)
            func append(_ byte: UInt8) {
                path[end] = byte
                end += 1
            }
            for level in 0..<2 {
                append(UInt8(ascii: "/"))
                append(Self.digit(level, of: file))
            }
            append(UInt8(ascii: "/"))
            for place in 0..<16 { append(Self.digit(place, of: file)) }
            return end
        }
    }

    /// The hexadecimal digit at a place of a file's name, as a character.
    private static func digit(_ place: Int, of file: Int64) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: UInt64(bitPattern: file) >> (60 - 4 * UInt64(place)) & 15)
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Returns a number that no file has: random, so that processes need not agree on one. Of 63 bits, since SQLite's
    /// are signed.
    static func newFile() -> Int64 {
        Int64.random(in: 0...Int64.max)
    }

    /// 16 hexadecimal digits. It never contains anything of the key.
    static func name(_ file: Int64) -> String { UInt64(bitPattern: file).hexadecimalDigits }

    /// The number of a name; nil if the cache did not give the name.
    static func file(_ name: String) -> Int64? {
        guard name.utf8.count == 16, let file = Int64(name, radix: 16), self.name(file) == name else { return nil }
        return file
    }
}
