import FoundationEssentials
import Halcyon

/// An image that a command has drawn for a terminal, read back from its escape sequences.
struct ShownImage {
    /// Rows of red, green and blue; `nil` where nothing was drawn.
    var rows: [[[Int]?]]

    var size: PixelSize { PixelSize(rows.first?.count ?? 0, rows.count) }

    /// The images of kitty's protocol in a text, in their order.
    static func kitty(in text: String) throws -> [ShownImage] {
        var images: [ShownImage] = []
        var encoded = ""
        for part in text.split(separator: "\u{1B}_G").dropFirst() {
            guard let semicolon = part.firstIndex(of: ";"), let end = part.firstRange(of: "\u{1B}\\") else { continue }
            encoded += part[part.index(after: semicolon)..<end.lowerBound]
            let options = part[..<semicolon].split(separator: ",")
            guard options.contains("m=0") else { continue }
            if let data = Data(base64Encoded: encoded) {
                let bitmap = try ImageCodecs.standard.decode(data).bitmap
                images.append(ShownImage(bitmap))
            }
            encoded = ""
        }
        return images
    }

    /// The sixel images in a text, in their order.
    static func sixel(in text: String) -> [ShownImage] {
        text.split(separator: "\u{1B}P0;1;0q", omittingEmptySubsequences: false).dropFirst().compactMap { part in
            part.firstRange(of: "\u{1B}\\").map { ShownImage(sixel: Array(part[..<$0.lowerBound].utf8)) }
        }
    }

    private init(sixel bytes: [UInt8]) {
        var rest = bytes[...]
        func numbers() -> [Int] {
            let end = rest.firstIndex { !(48...57).contains($0) && $0 != UInt8(ascii: ";") } ?? rest.endIndex
            defer { rest = rest[end...] }
            return String(decoding: rest[..<end], as: UTF8.self).split(separator: ";").map { Int($0) ?? -1 }
        }
        var colors: [Int: [Int]] = [:]
        var (color, x, top, count) = (0, 0, 0, 1)
        rows = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                let size = numbers()
                rows = .init(repeating: .init(repeating: nil, count: size[2]), count: size[3])
            case UInt8(ascii: "#"):
                let values = numbers()
                color = values[0]
                if values.count == 5 { colors[color] = values[2...].map { ($0 * 255 + 50) / 100 } }
            case UInt8(ascii: "!"): count = numbers()[0]
            case UInt8(ascii: "$"): x = 0
            case UInt8(ascii: "-"): (x, top) = (0, top + 6)
            default:
                for place in x..<x + count {
                    for bit in 0..<6 where (byte - 63) >> UInt8(bit) & 1 == 1 { rows[top + bit][place] = colors[color] }
                }
                (x, count) = (x + count, 1)
            }
        }
    }

    /// The image of half blocks that a text consists of.
    init(blocks text: String) {
        rows = []
        for line in text.replacing("\r\n", with: "\n").split(separator: "\n" as Character) {
            var (front, back): ([Int]?, [Int]?) = (nil, nil)
            var (upper, lower): ([[Int]?], [[Int]?]) = ([], [])
            var rest = line.unicodeScalars[...]
            while let scalar = rest.popFirst() {
                switch scalar {
                case "\u{1B}":
                    let end = rest.firstIndex(of: "m") ?? rest.startIndex
                    let numbers = String(rest[..<end]).dropFirst().split(separator: ";").compactMap { Int($0) }
                    rest = rest[end...].dropFirst()
                    switch numbers.first {
                    case 38: front = Self.color(numbers)
                    case 48: back = Self.color(numbers)
                    case 49: back = nil
                    default: (front, back) = (nil, nil)
                    }
                case "▀":
                    upper.append(front)
                    lower.append(back)
                case "▄":
                    upper.append(back)
                    lower.append(front)
                default:
                    upper.append(back)
                    lower.append(back)
                }
            }
            rows += [upper, lower]
        }
    }

    /// Of "38;2;r;g;b" or "38;5;n", with the palette of xterm.
    private static func color(_ numbers: [Int]) -> [Int] {
        guard numbers[1] == 5 else { return Array(numbers[2...]) }
        let number = numbers[2]
        if number >= 232 { return [Int](repeating: 8 + 10 * (number - 232), count: 3) }
        let levels = [0, 95, 135, 175, 215, 255]
        return [(number - 16) / 36, (number - 16) / 6 % 6, (number - 16) % 6].map { levels[$0] }
    }

    /// Returns the largest difference of a channel; `nil` if the sizes differ, or what is drawn at all.
    func distance(to other: ShownImage) -> Int? {
        guard size == other.size else { return nil }
        var largest = 0
        for (row, otherRow) in zip(rows, other.rows) {
            for (pixel, otherPixel) in zip(row, otherRow) {
                guard let pixel, let otherPixel else {
                    if pixel == nil, otherPixel == nil { continue }
                    return nil
                }
                largest = max(largest, zip(pixel, otherPixel).map { abs($0 - $1) }.max() ?? 0)
            }
        }
        return largest
    }

    /// The pixels of a bitmap without partly transparent ones.
    init(_ bitmap: Bitmap) {
        let samples = bitmap.straightRGBA().map(Int.init)
        rows = (0..<bitmap.height).map { y in
            (0..<bitmap.width).map { x in
                let place = 4 * (y * bitmap.width + x)
                return samples[place + 3] == 0 ? nil : Array(samples[place..<place + 3])
            }
        }
    }
}
