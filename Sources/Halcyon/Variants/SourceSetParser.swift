/// Reads the value of a `srcset` attribute (WHATWG HTML, "parse a srcset attribute").
///
/// A comma belongs to a URL unless it is the last character, and to a descriptor only inside of parentheses.
struct SourceSetParser {
    private typealias Candidate = ImageSourceSet.Candidate

    private let text: [UInt8]
    private var position = 0

    init(_ text: String) {
        self.text = Array(text.utf8)
    }

    /// Returns the well-formed candidates, in their order.
    mutating func candidates() -> [ImageSourceSet.Candidate] {
        var candidates: [Candidate] = []
        while true {
            _ = take { Self.isSpace($0) || $0 == Self.comma }
            guard position < text.count else { return candidates }
            var url = take { !Self.isSpace($0) }
            var descriptors: [ArraySlice<UInt8>] = []
            if url.last == Self.comma {
                while url.last == Self.comma { url.removeLast() }
            } else {
                descriptors = takeDescriptors()
            }
            if let descriptor = Self.descriptor(descriptors) {
                candidates.append(Candidate(url: String(decoding: url, as: UTF8.self), descriptor: descriptor))
            }
        }
    }

    private mutating func take(while belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let rest = text[position...].prefix(while: belongs)
        position = rest.endIndex
        return rest
    }

    /// Takes the descriptors up to the comma that ends the candidate, and that comma.
    private mutating func takeDescriptors() -> [ArraySlice<UInt8>] {
        var descriptors: [ArraySlice<UInt8>] = []
        while true {
            _ = take(while: Self.isSpace)
            let start = position
            var isInParentheses = false
            let descriptor = take { character in
                if isInParentheses {
                    isInParentheses = character != UInt8(ascii: ")")
                    return true
                }
                isInParentheses = character == UInt8(ascii: "(")
                return !Self.isSpace(character) && character != Self.comma
            }
            if position > start { descriptors.append(descriptor) }
            guard position < text.count else { return descriptors }
            if text[position] == Self.comma {
                position += 1
                return descriptors
            }
        }
    }

    /// Returns the size that descriptors state; `nil` where they are malformed or contradict each other.
    private static func descriptor(_ descriptors: [ArraySlice<UInt8>]) -> ImageSourceSet.Descriptor? {
        var (width, height): (Int?, Int?)
        var density: Double?
        for descriptor in descriptors {
            let value = descriptor.dropLast()
            switch descriptor.last {
            case UInt8(ascii: "w"):
                guard width == nil, density == nil, let pixels = integer(value), pixels > 0 else { return nil }
                width = pixels
            case UInt8(ascii: "x"):
                guard width == nil, height == nil, density == nil, let number = number(value), number >= 0 else {
                    return nil
                }
                density = number
            case UInt8(ascii: "h"):
                guard height == nil, density == nil, let pixels = integer(value), pixels > 0 else { return nil }
                height = pixels
            default:
                return nil
            }
        }
        if let width { return .width(width) }
        return height == nil ? .density(density ?? 1) : nil
    }

    /// Returns a "valid non-negative integer"; the greatest there is where it does not fit.
    private static func integer(_ text: ArraySlice<UInt8>) -> Int? {
        guard !text.isEmpty, text.allSatisfy(isDigit) else { return nil }
        return Int(String(decoding: text, as: UTF8.self)) ?? .max
    }

    /// Returns a "valid floating-point number".
    private static func number(_ text: ArraySlice<UInt8>) -> Double? {
        var rest = text
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = rest.prefix(while: isDigit)
        rest = rest[whole.endIndex...]
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix(while: isDigit)
            guard !fraction.isEmpty else { return nil }
            rest = rest[fraction.endIndex...]
        } else if whole.isEmpty {
            return nil
        }
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
            let exponent = rest.prefix(while: isDigit)
            guard !exponent.isEmpty else { return nil }
            rest = rest[exponent.endIndex...]
        }
        guard rest.isEmpty, let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite else {
            return nil
        }
        return number
    }

    private static let comma = UInt8(ascii: ",")

    private static func isDigit(_ character: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
    }

    private static func isSpace(_ character: UInt8) -> Bool {
        [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(character)
    }
}
