internal import Glibc

/// The names of the files in a folder, without their extensions, as a filter of fixed size: a name that it does not have is
/// not in the folder, one that it has is most likely (Bloom, 1970).
///
/// A run asks for each image whether its file is there, under several names with any extension. In a folder of a million
/// files this answers most of that without the file system, and always with 2 MiB.
struct FolderNameFilter: Sendable {
    private static let bitCount: UInt64 = 1 << 24
    /// With a million names, 1 answer in 50 is wrongly "maybe".
    private static let probeCount: UInt64 = 4

    /// Empty for a folder without files, and one that is not there.
    private var words: [UInt64] = []

    /// Reads the names of a folder. Complexity: O(n) in their number.
    ///
    /// - Parameter visit: Called with each name. Default: does nothing.
    init(of folder: String, visit: (String) -> Void = { _ in }) {
        Self.visitNames(in: folder) { name in
            visit(name)
            insert(name.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(name[..<$0]) } ?? name)
        }
    }

    /// Calls a function with each name in a folder; blocks.
    static func visitNames(in folder: String, _ visit: (String) -> Void) {
        guard let stream = opendir(folder) else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                // The name ends with a zero within its array (readdir(3)).
                name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { visit(name) }
        }
    }

    /// Returns `false` if no file has this name, whatever its extension.
    func mayContain(_ name: String) -> Bool {
        guard !words.isEmpty else { return false }
        return Self.bits(of: name).allSatisfy { words[Int($0 >> 6)] & 1 << ($0 & 63) != 0 }
    }

    private mutating func insert(_ name: String) {
        if words.isEmpty { words = Array(repeating: 0, count: Int(Self.bitCount >> 6)) }
        for bit in Self.bits(of: name) { words[Int(bit >> 6)] |= 1 << (bit & 63) }
    }

    private static func bits(of name: String) -> some Sequence<UInt64> {
        // FNV-1a, and its halves as two hashes that make all others (Kirsch and Mitzenmacher, 2006).
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let (low, high) = (hash & 0xFFFF_FFFF, hash >> 32 | 1)
        return (0..<probeCount).lazy.map { (low &+ $0 &* high) & (bitCount - 1) }
    }
}
