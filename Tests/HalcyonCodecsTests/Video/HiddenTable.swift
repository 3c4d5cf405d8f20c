import FoundationEssentials

@testable import HalcyonCodecs

/// The places in a movie where a table that counts samples of one byte may stand.
enum HiddenTable: String, CaseIterable {
    /// Where it belongs.
    case plain
    /// With a duration of one tick for each sample, as sound without compression has.
    case unitDurations
    /// In a header whose size has 64 bits, and is beyond every file.
    case hugeHeader
    /// In a header under the name that libavformat takes for a mistake.
    case misspelledHeader
    /// In the description of samples.
    case description
    /// Beside a track within its track.
    case nestedTrack
    /// In the edits.
    case edits
    /// In tracks that count too much together only.
    case manyTracks

    /// Returns a movie that has the table in this place.
    func file(sampleCount: Int) -> Data {
        var boxes = MovieBox.boxes(VideoFixture.data("keys.mp4"))
        let count = self == .manyTracks ? sampleCount / 8 : sampleCount
        let table = MovieBox("stsz", numbers: [0, 1, count])
        for index in boxes.indices {
            boxes[index].edit { box in
                switch box.type {
                case "stsz": if self == .edits || self == .description { return nil } else { return table }
                case "stts": return MovieBox("stts", numbers: [0, 1, count, self == .unitDurations ? 1 : 2])
                case "stsc": return MovieBox("stsc", numbers: [0, 1, 1, count, 1])
                case "ctts": return nil
                case "edts" where self == .edits: return MovieBox("edts", box.content + table.data)
                case "stsd" where self == .description: return MovieBox("stsd", box.content + table.data)
                case "trak" where self == .nestedTrack:
                    return MovieBox("trak", box.content + MovieBox("trak", Data(count: 8)).data)
                case "moov" where self == .manyTracks:
                    let tracks = MovieBox.boxes(box.content).filter { $0.type == "trak" }.map(\.data)
                    return MovieBox("moov", box.content + (0..<8).flatMap { _ in tracks.flatMap(\.self) })
                default: return box
                }
            }
        }
        return boxes.reduce(into: Data()) { data, box in
            guard box.type == "moov" else { return data += box.data }
            switch self {
            case .hugeHeader:
                data += MovieBox.bytes([1]) + Data("moov".utf8) + MovieBox.bytes([1 << 30, 0]) + box.content
            case .misspelledHeader: data += MovieBox("hoov", box.content).data
            default: data += box.data
            }
        }
    }
}

/// A box of a movie (ISO/IEC 14496-12, 4.2).
struct MovieBox {
    private static let containers: Set<String> = ["moov", "trak", "mdia", "minf", "stbl"]

    let type: String
    private(set) var content: Data

    init(_ type: String, _ content: Data) {
        (self.type, self.content) = (type, content)
    }

    init(_ type: String, numbers: [Int]) {
        self.init(type, Self.bytes(numbers))
    }

    var data: Data { Self.bytes([content.count + 8]) + Data(type.utf8) + content }

    /// Returns numbers of 32 bits.
    static func bytes(_ numbers: [Int]) -> Data {
        Data(numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } })
    }

    static func boxes(_ data: Data) -> [MovieBox] {
        var (boxes, rest) = ([MovieBox](), data[...])
        while rest.count >= 8 {
            let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
            boxes.append(MovieBox(type, Data(rest.prefix(size).dropFirst(8))))
            rest = rest.dropFirst(size)
        }
        return boxes
    }

    /// Replaces the boxes within this one, then itself; those for which `replace` returns `nil` go.
    mutating func edit(_ replace: (MovieBox) -> MovieBox?) {
        self = edited(replace) ?? MovieBox("free", Data())
    }

    private func edited(_ replace: (MovieBox) -> MovieBox?) -> MovieBox? {
        guard Self.containers.contains(type) else { return replace(self) }
        let inner = Self.boxes(content).compactMap { $0.edited(replace) }
        return replace(MovieBox(type, inner.reduce(into: Data()) { $0 += $1.data }))
    }
}
