/// Draws pixels as text: each character shows two, one above the other.
struct HalfBlocks {
    let hasTrueColor: Bool

    /// Returns lines, each ended by a line feed, that leave the terminal's colours as they were.
    func lines(of pixels: FlatPixels) -> [UInt8] {
        var text = ""
        for y in stride(from: 0, to: pixels.height, by: 2) {
            // `nil` is the terminal's own colour.
            var (front, back): (UInt32?, UInt32?) = (nil, nil)
            for x in 0..<pixels.width {
                let (upper, lower) = (color(pixels[x, y]), color(pixels[x, y + 1]))
                // A character without an upper pixel has its lower one in front.
                let character = upper == lower ? " " : upper == nil ? "▄" : "▀"
                let newFront = upper == lower ? front : upper ?? lower
                let newBack = upper == nil ? nil : lower
                if newBack != back { text += newBack.map { sequence(48, $0) } ?? "\u{1B}[49m" }
                if newFront != front, let newFront { text += sequence(38, newFront) }
                (front, back) = (newFront, newBack)
                text += character
            }
            text += "\u{1B}[0m\n"
        }
        return Array(text.utf8)
    }

    private func color(_ pixel: UInt32) -> UInt32? {
        guard pixel != FlatPixels.transparent else { return nil }
        return hasTrueColor ? pixel : UInt32(Self.index(of: pixel))
    }

    private func sequence(_ place: Int, _ color: UInt32) -> String {
        hasTrueColor
            ? "\u{1B}[\(place);2;\(color & 0xFF);\(color >> 8 & 0xFF);\(color >> 16)m" : "\u{1B}[\(place);5;\(color)m"
    }

    /// The values of the 6 × 6 × 6 colours at 16 to 231 of xterm's palette; from 232 there are 24 greys, 8, 18, … 238.
    private static let levels = [0, 95, 135, 175, 215, 255]

    /// Returns the nearest colour of xterm's palette.
    static func index(of pixel: UInt32) -> Int {
        let channels = [0, 8, 16].map { Int(pixel >> $0 & 0xFF) }
        let steps = channels.map { channel in
            levels.indices.min { abs(levels[$0] - channel) < abs(levels[$1] - channel) } ?? 0
        }
        let gray = min(23, max(0, (channels.reduce(0, +) / 3 - 3) / 10))
        func distance(_ color: [Int]) -> Int {
            zip(channels, color).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        }
        let ofGray = distance([Int](repeating: 8 + 10 * gray, count: 3))
        return distance(steps.map { levels[$0] }) <= ofGray
            ? 16 + 36 * steps[0] + 6 * steps[1] + steps[2] : 232 + gray
    }
}
