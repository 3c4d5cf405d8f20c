import FoundationEssentials

/// The indexes of a movie in fragments (ISO/IEC 14496-12, 8.16.3 and 8.8.9 to 8.8.11).
enum FragmentIndex {
    /// A box with its content.
    static func box(_ type: String, _ content: Data) -> Data {
        number(content.count + 8) + Data(type.utf8) + content
    }

    /// Segments that begin so many bytes behind the box, in their order.
    static func segments(_ places: [Int], version: Int) -> Data {
        let first = places.first ?? 0
        var content = number(version << 24) + number(1) + number(1_000)
        content += version == 0 ? number(0) + number(first) : number(0, 8) + number(first, 8)
        content += number(0, 2) + number(places.count, 2)
        for (place, next) in zip(places, places.dropFirst() + [places.last ?? 0]) {
            content += number(next - place) + number(1_000) + number(0)
        }
        return box("sidx", content)
    }

    /// Random access to fragments at these offsets, which stands at the end of a file.
    ///
    /// - Parameter count: The number of entries that it claims. Default: those that it has.
    static func randomAccess(_ offsets: [Int], version: Int, count: Int? = nil) -> Data {
        var content = number(version << 24) + number(1) + number(0) + number(count ?? offsets.count)
        for offset in offsets {
            content += number(0, version == 0 ? 4 : 8) + number(offset, version == 0 ? 4 : 8) + number(0, 3)
        }
        let table = box("tfra", content)
        return box("mfra", table + box("mfro", number(0) + number(table.count + 24)))
    }

    private static func number(_ value: Int, _ byteCount: Int = 4) -> Data {
        Data((0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }
}
