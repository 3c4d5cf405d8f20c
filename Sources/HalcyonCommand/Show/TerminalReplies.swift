internal import Halcyon

/// What a terminal has replied to the questions of ``TerminalProbe``.
struct TerminalReplies: Equatable {
    /// Whether the reply to the last question has come.
    private(set) var isComplete = false
    private var hasKitty = false
    private var hasSixel = false
    private var background: Color?
    private var cell: PixelSize?
    private var colorRegisters: Int?
    private var largestImage: PixelSize?

    /// Reads all replies that are complete, and skips what is none, such as keys that were pressed.
    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let escape = rest.firstIndex(of: 0x1B) {
            rest = rest[(escape + 1)...]
            guard let kind = rest.popFirst() else { return }
            switch kind {
            case UInt8(ascii: "["):
                // Parameters, and a letter (ECMA-48, 5.4).
                guard let end = rest.firstIndex(where: { (0x40...0x7E).contains($0) }) else { return }
                readSequence(String(decoding: rest[..<end], as: UTF8.self), end: Character(Unicode.Scalar(rest[end])))
                rest = rest[(end + 1)...]
            case UInt8(ascii: "]"), UInt8(ascii: "_"):
                // Text, ended by BEL or by an escape and a backslash.
                guard let end = rest.firstIndex(where: { $0 == 0x07 || $0 == 0x1B }) else { return }
                readText(String(decoding: rest[..<end], as: UTF8.self))
                rest = rest[(rest[end] == 0x07 ? end + 1 : end)...]
            default: break
            }
        }
    }

    private mutating func readSequence(_ parameters: String, end: Character) {
        let isPrivate = parameters.hasPrefix("?")
        let numbers = parameters.drop { $0 == "?" }.split(separator: ";").map { Int($0) ?? -1 }
        switch (end, isPrivate) {
        case ("c", true):
            isComplete = true
            // After the kind of terminal, what it can do: 4 is sixel.
            hasSixel = numbers.dropFirst().contains(4)
        case ("t", false):
            // Height and width of a character.
            if numbers.count == 3, numbers[0] == 6 { cell = Self.size(numbers[2], numbers[1], limit: 1_000) }
        case ("S", true):
            // 1: the number of colours; 2: width and height of the largest image. The 0 behind it is success.
            guard numbers.count >= 3, numbers[1] == 0 else { break }
            if numbers[0] == 1, (2...65_536).contains(numbers[2]) { colorRegisters = numbers[2] }
            if numbers[0] == 2, numbers.count == 4 { largestImage = Self.size(numbers[2], numbers[3], limit: 65_535) }
        default: break
        }
    }

    private static func size(_ width: Int, _ height: Int, limit: Int) -> PixelSize? {
        (1...limit).contains(width) && (1...limit).contains(height) ? PixelSize(width, height) : nil
    }

    private mutating func readText(_ text: String) {
        if text == "Gi=31;OK" { hasKitty = true }
        guard text.hasPrefix("11;rgb:") else { return }
        // One to four hexadecimal digits a channel (XParseColor).
        let channels = text.dropFirst("11;rgb:".count).split(separator: "/").compactMap { digits -> Double? in
            guard (1...4).contains(digits.count), let value = Int(digits, radix: 16) else { return nil }
            return Double(value) / Double((1 << (4 * digits.count)) - 1)
        }
        if channels.count == 3 { background = Color(red: channels[0], green: channels[1], blue: channels[2]) }
    }

    /// Changes what is known of the terminal.
    func apply(to display: inout TerminalDisplay) {
        display.graphics = hasKitty ? .kitty : hasSixel ? .sixel : .blocks
        display.background = background ?? display.background
        display.cell = cell ?? display.cell
        display.colorRegisters = colorRegisters ?? display.colorRegisters
        display.largestImage = largestImage ?? display.largestImage
    }
}
