/// The arguments of an option in a URL, read one after the other. Each error names the option.
struct OptionArguments {
    let option: String
    private var rest: ArraySlice<String>

    init(_ option: String, _ arguments: some Sequence<String>) {
        self.option = option
        rest = Array(arguments)[...]
    }

    var isEmpty: Bool { rest.isEmpty }
    var count: Int { rest.count }

    func refusal(_ reason: String) -> URLRefusal { .invalidArgument(option: option, reason) }

    /// Returns the next argument; `nil` if it is empty or missing.
    mutating func next() -> String? {
        guard let argument = rest.popFirst(), !argument.isEmpty else { return nil }
        return argument
    }

    /// Returns all that are left.
    mutating func all() -> [String] {
        defer { rest = [] }
        return Array(rest)
    }

    /// Returns the next argument as an integer within a range; `nil` if it is empty or missing.
    mutating func integer(_ range: ClosedRange<Int>) throws(URLRefusal) -> Int? {
        guard let text = next() else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw refusal("takes an integer from \(range.lowerBound) to \(range.upperBound), not “\(text)”")
        }
        return value
    }

    /// Returns the next argument as a number within a range; `nil` if it is empty or missing.
    mutating func number(_ range: ClosedRange<Double>) throws(URLRefusal) -> Double? {
        guard let text = next() else { return nil }
        guard let value = Double(text), range.contains(value), text.allSatisfy({ "0123456789.-+".contains($0) }) else {
            throw refusal("takes a number from \(range.lowerBound) to \(range.upperBound), not “\(text)”")
        }
        return value
    }

    /// Returns the next argument as a truth value; `nil` if it is empty or missing.
    mutating func flag() throws(URLRefusal) -> Bool? {
        guard let text = next() else { return nil }
        switch text {
        case "1", "t", "T", "true", "TRUE", "True": return true
        case "0", "f", "F", "false", "FALSE", "False": return false
        default: throw refusal("takes 1 or 0, not “\(text)”")
        }
    }

    /// Returns the next argument as a colour; `nil` if it is empty or missing.
    mutating func color() throws(URLRefusal) -> PlanColor? {
        guard let text = next() else { return nil }
        guard let color = PlanColor(hex: text) else {
            throw refusal("takes a colour of 3, 4, 6 or 8 hexadecimal digits, not “\(text)”")
        }
        return color
    }

    /// Returns the value for the next argument; `nil` if it is empty or missing.
    mutating func choice<Value>(_ values: KeyValuePairs<String, Value>) throws(URLRefusal) -> Value? {
        guard let text = next() else { return nil }
        guard let value = values.first(where: { $0.key == text })?.value else {
            throw refusal("takes \(values.map(\.key).joined(separator: ", ")), not “\(text)”")
        }
        return value
    }

    /// Returns a value that has to be there.
    func required<Value>(_ value: Value?) throws(URLRefusal) -> Value {
        guard let value else { throw refusal("lacks an argument") }
        return value
    }

    /// Ends the option.
    ///
    /// - Throws: ``URLRefusal`` if arguments are left.
    func end() throws(URLRefusal) {
        guard rest.isEmpty else { throw refusal("has too many arguments") }
    }
}

extension OptionArguments {
    /// Bounds of lengths in pixels.
    static let lengths = 0...65_535
    static let offsets = -65_535.0...65_535.0
    static let fractions = 0.0...1.0

    static let compass: KeyValuePairs<String, (x: Double, y: Double)> = [
        "ce": (0.5, 0.5), "no": (0.5, 0), "so": (0.5, 1), "ea": (1, 0.5), "we": (0, 0.5),
        "noea": (1, 0), "nowe": (0, 0), "soea": (1, 1), "sowe": (0, 1),
    ]

    /// Returns a side in pixels, 0 being free; `nil` if it is empty or missing.
    mutating func side() throws(URLRefusal) -> ImagePlan.Size.Side? {
        try integer(Self.lengths).map { $0 == 0 ? .free : .pixels($0) }
    }
}
