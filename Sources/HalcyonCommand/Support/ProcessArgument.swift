internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import HalcyonSystem

/// A chain of processors as a person writes it: "downsample 400x400 | roundCorners 20 | blur 8". Names and labels are those
/// of Swift; lengths are pixels, or with "%" parts of the width, of both for sizes and rectangles. A word with blanks has double
/// quotes around it.
struct ProcessArgument: Sendable {
    let chain: ImageProcessorChain
    /// The steps in one way of writing them, which tells a request from others.
    let identity: String

    @Sendable init(_ text: String) throws {
        var (chain, identity) = (ImageProcessorChain.identity, [String]())
        let steps: [[ProcessorWords.Word]]
        do throws(ProcessorWords.Problem) {
            steps = try ProcessorWords.steps(of: text)
        } catch {
            throw ValidationError("“\(text)”: \(error)")
        }
        for step in steps {
            var words = ProcessorWords(step)
            do throws(ProcessorWords.Problem) {
                chain = chain |> (try words.chain())
                try words.checkAllUsed()
            } catch {
                throw ValidationError("“\(words.text)”: \(error)\(words.usage)")
            }
            identity.append(words.identity)
        }
        self.chain = chain
        self.identity = identity.joined(separator: "|")
    }
}

/// The words of one processor: its name, values in order, and values with labels ("opacity=0.5").
struct ProcessorWords {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    struct Word {
        var text = ""
        /// Whether it begins with a quotation mark, and so is no label.
        var isQuoted = false

        /// The word as it has to be written.
        fileprivate var written: String {
            text.contains { " \t\n|".contains($0) } || isQuoted && text.contains("=") ? "\"\(text)\"" : text
        }
    }

    /// The words with single blanks between them.
    let text: String
    /// The text, and what tells the files that it names.
    private(set) var identity: String
    private let name: String
    private var values: ArraySlice<String>
    private var labelled: [String: String] = [:]
    private var repeatedLabel: String?

    /// Returns the words of each step, which bars divide.
    static func steps(of text: String) throws(Problem) -> [[Word]] {
        var steps: [[Word]] = [[]]
        var word: Word?
        var isInQuotes = false
        for character in text + " " {
            if character == "\"" {
                isInQuotes.toggle()
                word = word ?? Word(isQuoted: true)
            } else if isInQuotes || !" \t\n|".contains(character) {
                word = word ?? Word()
                word?.text.append(character)
            } else {
                if let word { steps[steps.count - 1].append(word) }
                word = nil
                if character == "|" { steps.append([]) }
            }
        }
        guard !isInQuotes else { throw Problem(description: "a quotation mark has no other behind it") }
        return steps
    }

    init(_ words: [Word]) {
        text = words.map(\.written).joined(separator: " ")
        identity = text
        name = words.first?.text ?? ""
        var values: [String] = []
        for word in words.dropFirst() {
            let (word, isQuoted) = (word.text, word.isQuoted)
            guard !isQuoted, let equals = word.firstIndex(of: "="), equals != word.startIndex else {
                values.append(word)
                continue
            }
            let label = String(word[..<equals])
            if labelled.updateValue(String(word[word.index(after: equals)...]), forKey: label) != nil {
                repeatedLabel = label
            }
        }
        self.values = values[...]
    }

    /// The processors that have a name here, with what follows it.
    static let usage = [
        "downsample WxH",
        "resize WxH [mode=fit|fill|stretch] [enlarges=false] [anchor=topLeft] [resampling=linearLight]",
        "crop WxH [anchor=X,Y] | crop X,Y,W,H", "flip horizontal|vertical",
        "rotate DEGREES [expands=false] [background=COLOR]",
        "rotate quarterTurns=N", "orient right", "blur RADIUS", "sharpen [RADIUS] [amount=1] [threshold=0]",
        "roundCorners RADIUS [corners=topLeft+topRight] [border=WIDTH,COLOR] [background=COLOR]", "circle [border=…]",
        "border WIDTH [COLOR] [placement=inside|centered] [radius=RADIUS]", "overlay COLOR [fraction=0.5]",
        "tint COLOR [mode=MODE]", "blend MODE [opacity=1] [background=COLOR]", "background COLOR", "opacity FACTOR",
        "colorControls [brightness=0] [contrast=1] [saturation=1] [exposure=0]", "blackAndWhite",
        "adjustColors [sepia=1] [grayscale=1] [inverted=1] [hueRotation=DEGREES] [saturation=1] …",
        "watermark FILE [size=WxH|N%] [anchor=bottomRight] [offset=X,Y] [tileSpacing=X,Y] [mode=MODE] [opacity=1]",
    ]

    /// The names of all processors.
    static let names: String = {
        let names = usage.map { $0.prefix { $0 != " " } }.reduce(into: [Substring]()) { names, name in
            if !names.contains(name) { names.append(name) }
        }
        return names.joined(separator: ", ")
    }()

    mutating func chain() throws(Problem) -> ImageProcessorChain {
        switch name {
        case "downsample": return .downsample(to: .pixels(try size("the size")))
        case "resize": return try resize()
        case "crop": return try crop()
        case "flip": return .flip(try choice(FlipAxis.self, "the axis"))
        case "rotate": return try rotate()
        case "orient": return .orient(try orientation())
        case "blur": return .blur(radius: try length(try value("the radius")))
        case "sharpen":
            let radius = try values.popFirst().map { value throws(Problem) in try length(value) } ?? .pixels(1)
            return .sharpen(
                radius: radius,
                amount: try labelledNumber("amount") ?? 1,
                threshold: try part(labelledNumber("threshold") ?? 0)
            )
        case "roundCorners": return try roundCorners()
        case "circle": return .circle(border: try border(), background: try color("background"))
        case "border": return try bordered()
        case "overlay": return .overlay(try color(), fraction: try part(labelledNumber("fraction") ?? 0.5))
        case "tint": return .tint(try color(), mode: try labelledChoice(BlendMode.self, "mode") ?? .normal)
        case "blend":
            let mode = try choice(BlendMode.self, "the mode")
            return .blend(mode, opacity: try part(labelledNumber("opacity") ?? 1), background: try color("background"))
        case "background": return .background(try color())
        case "opacity": return .opacity(try part(number(try value("the factor"))))
        case "colorControls":
            return .colorControls(
                brightness: try labelledNumber("brightness") ?? 0,
                contrast: try labelledNumber("contrast") ?? 1,
                saturation: try labelledNumber("saturation") ?? 1,
                exposure: try labelledNumber("exposure") ?? 0,
                in: try space() ?? .linear
            )
        case "blackAndWhite": return .blackAndWhite
        case "adjustColors": return try adjustColors()
        case "watermark": return try watermark()
        default:
            throw Problem(description: "there is no such processor; use \(Self.names)")
        }
    }

    /// What may follow the name, for errors.
    var usage: String {
        let own = Self.usage.filter { $0.prefix { $0 != " " } == name }
        return own.isEmpty ? "" : " (\(own.joined(separator: "; ")))"
    }

    func checkAllUsed() throws(Problem) {
        if let repeatedLabel { throw Problem(description: "“\(repeatedLabel)” is there twice") }
        if let value = values.first { throw Problem(description: "“\(value)” is one value too many") }
        if let label = labelled.keys.min() { throw Problem(description: "it has no “\(label)”") }
    }

    // MARK: Processors

    private mutating func resize() throws(Problem) -> ImageProcessorChain {
        let size = try size("the size")
        var resampling = Resampling.standard
        if let name = labelled.removeValue(forKey: "resampling") {
            guard name == "linearLight" || name == "standard" else { throw unknown(name, ["standard", "linearLight"]) }
            if name == "linearLight" { resampling = .linearLight }
        }
        return .resize(
            to: .pixels(size),
            mode: try labelledChoice(ResizeMode.self, "mode") ?? .fit,
            enlarges: try flag("enlarges") ?? true,
            anchor: try anchor() ?? .center,
            resampling: resampling
        )
    }

    private mutating func crop() throws(Problem) -> ImageProcessorChain {
        guard let first = values.first, first.contains(",") else {
            return .crop(to: .pixels(try size("the size")), anchor: try anchor() ?? .center)
        }
        values.removeFirst()
        let parts = first.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4 else { throw Problem(description: "“\(first)” is no rectangle X,Y,W,H") }
        if parts.allSatisfy({ $0.hasSuffix("%") }) {
            let values = try numbers(parts.map { String($0.dropLast()) }).map { $0 / 100 }
            return .crop(to: .relative(x: values[0], y: values[1], width: values[2], height: values[3]))
        }
        let values = parts.compactMap { Int($0) }
        guard values.count == 4, values[2] > 0, values[3] > 0, values.allSatisfy({ $0.magnitude < 1 << 24 }) else {
            throw Problem(
                description: "“\(first)” is no rectangle of whole pixels, or of parts such as 10%,10%,80%,80%"
            )
        }
        return .crop(to: .pixels(x: values[0], y: values[1], width: values[2], height: values[3]))
    }

    private mutating func rotate() throws(Problem) -> ImageProcessorChain {
        if let turns = labelled.removeValue(forKey: "quarterTurns") {
            guard let turns = Int(turns) else { throw Problem(description: "quarterTurns is a whole number") }
            return .rotate(quarterTurns: turns)
        }
        return .rotate(
            byDegrees: try number(try value("the degrees, or quarterTurns=N")),
            expands: try flag("expands") ?? true,
            interpolation: try labelledChoice(Interpolation.self, "interpolation") ?? .bicubic,
            background: try color("background")
        )
    }

    private mutating func orientation() throws(Problem) -> Orientation {
        let names: [String: Orientation] = [
            "up": .up, "upMirrored": .upMirrored, "down": .down, "downMirrored": .downMirrored, "left": .left,
            "leftMirrored": .leftMirrored, "right": .right, "rightMirrored": .rightMirrored,
        ]
        let name = try value("the orientation")
        guard let orientation = names[name] else { throw unknown(name, names.keys.sorted()) }
        return orientation
    }

    private mutating func roundCorners() throws(Problem) -> ImageProcessorChain {
        let corners = try roundedCorners(try value("the radius"))
        return .roundCorners(corners, border: try border(), background: try color("background"))
    }

    private mutating func bordered() throws(Problem) -> ImageProcessorChain {
        let width = try length(try value("the width"), part: ImageLength.shorterSideFraction)
        let color = try values.popFirst().map { value throws(Problem) in try Self.color(value) } ?? .black
        let placement = try placement()
        let radius = labelled.removeValue(forKey: "radius")
        let corners = try radius.map { value throws(Problem) in try roundedCorners(value) } ?? RoundedCorners()
        return .border(Border(width: width, color: color, placement: placement), corners: corners)
    }

    private mutating func adjustColors() throws(Problem) -> ImageProcessorChain {
        let space = try space() ?? .sRGB
        var adjustments: [ColorAdjustment] = []
        // In the order in which they are written.
        for word in text.split(separator: " ") {
            let label = String(word.prefix { $0 != "=" })
            guard let text = labelled[label] else { continue }
            if label == "monochrome" {
                adjustments.append(.monochrome(try Self.color(text)))
            } else {
                let value = try number(text)
                switch label {
                case "brightness": adjustments.append(.brightness(value))
                case "contrast": adjustments.append(.contrast(value))
                case "saturation": adjustments.append(.saturation(value))
                case "exposure": adjustments.append(.exposure(value))
                case "grayscale": adjustments.append(.grayscale(value))
                case "sepia": adjustments.append(.sepia(value))
                case "inverted": adjustments.append(.inverted(value))
                case "hueRotation": adjustments.append(.hueRotation(degrees: value))
                default: continue
                }
            }
            labelled[label] = nil
        }
        guard !adjustments.isEmpty || !labelled.isEmpty else { throw Problem(description: "an adjustment is missing") }
        return .adjustColors(adjustments, in: space)
    }

    private mutating func watermark() throws(Problem) -> ImageProcessorChain {
        let path = try value("the file of the watermark")
        guard FilePath.withCString(path, { access($0, R_OK) }) == 0, !FileOutput.isFolder(path) else {
            let reason = FileOutput.isFolder(path) ? EISDIR : errno
            throw Problem(description: "\(path) cannot be read: \(String(cString: strerror(reason)))")
        }
        let image: DecodedImage
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            // The file may be another one the next time.
            identity += " content=\(SHA256.hexadecimal(of: Array(data)))"
            image = try UntrustedImages.codecs(for: path).decode(data)
        } catch let error as CodecError {
            throw Problem(description: "\(path) cannot be read as an image: \(error)")
        } catch {
            throw Problem(description: "\(path) cannot be read")
        }
        var placement = WatermarkPlacement()
        if let size = labelled.removeValue(forKey: "size") {
            if size.hasSuffix("%") {
                placement.size = .fraction(try number(String(size.dropLast())) / 100)
            } else if let size = SizeArgument(argument: size)?.size {
                placement.size = .fitting(.pixels(size))
            } else {
                throw Problem(description: "“\(size)” is no size WxH, and no part of the width such as 20%")
            }
        }
        placement.anchor = try anchor() ?? .bottomRight
        if let offset = try distance("offset") { placement.offset = offset }
        placement.tileSpacing = try distance("tileSpacing")
        return .watermark(
            WatermarkImage(image),
            placement: placement,
            mode: try labelledChoice(BlendMode.self, "mode") ?? .normal,
            opacity: try part(labelledNumber("opacity") ?? 1)
        )
    }

    // MARK: Values

    private mutating func value(_ what: String) throws(Problem) -> String {
        guard let value = values.popFirst() else { throw Problem(description: "\(what) is missing") }
        return value
    }

    private mutating func size(_ what: String) throws(Problem) -> PixelSize {
        let text = try value(what)
        guard let size = SizeArgument(argument: text)?.size else {
            throw Problem(description: "“\(text)” is no size such as 400x300")
        }
        return size
    }

    private func number(_ text: String) throws(Problem) -> Double {
        guard let number = Double(text), number.isFinite else { throw Problem(description: "“\(text)” is no number") }
        return number
    }

    private func numbers(_ texts: [String]) throws(Problem) -> [Double] {
        var numbers: [Double] = []
        for text in texts { numbers.append(try number(text)) }
        return numbers
    }

    private mutating func labelledNumber(_ label: String) throws(Problem) -> Double? {
        guard let text = labelled.removeValue(forKey: label) else { return nil }
        return try number(text)
    }

    private mutating func flag(_ label: String) throws(Problem) -> Bool? {
        guard let text = labelled.removeValue(forKey: label) else { return nil }
        guard let flag = Bool(text) else { throw unknown(text, ["true", "false"]) }
        return flag
    }

    private mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ type: Choice.Type,
        _ what: String
    ) throws(Problem) -> Choice where Choice.RawValue == String {
        try Self.choice(try value(what))
    }

    private mutating func labelledChoice<Choice: RawRepresentable & CaseIterable>(
        _ type: Choice.Type,
        _ label: String
    ) throws(Problem) -> Choice? where Choice.RawValue == String {
        guard let text = labelled.removeValue(forKey: label) else { return nil }
        return try Self.choice(text) as Choice
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String
    ) throws(Problem) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text) else { throw unknown(text, Choice.allCases.map(\.rawValue)) }
        return choice
    }

    private mutating func space() throws(Problem) -> ColorAdjustment.WorkingSpace? {
        guard let text = labelled.removeValue(forKey: "space") else { return nil }
        switch text {
        case "sRGB": return .sRGB
        case "linear": return .linear
        default: throw Self.unknown(text, ["sRGB", "linear"])
        }
    }

    private mutating func anchor() throws(Problem) -> RelativePoint? {
        guard let text = labelled.removeValue(forKey: "anchor") else { return nil }
        let names: [String: RelativePoint] = [
            "center": .center, "topLeft": .topLeft, "topRight": .topRight, "bottomLeft": .bottomLeft,
            "bottomRight": .bottomRight, "top": RelativePoint(0.5, 0), "bottom": RelativePoint(0.5, 1),
            "left": RelativePoint(0, 0.5), "right": RelativePoint(1, 0.5),
        ]
        if let point = names[text] { return point }
        let parts = text.split(separator: ",").map(String.init)
        guard parts.count == 2 else { throw unknown(text, names.keys.sorted() + ["X,Y"]) }
        let values = try numbers(parts)
        return RelativePoint(values[0], values[1])
    }

    private mutating func distance(_ label: String) throws(Problem) -> WatermarkPlacement.Distance? {
        guard let text = labelled.removeValue(forKey: label) else { return nil }
        let values = try numbers(text.split(separator: ",").map(String.init))
        guard values.count == 2 else { throw Problem(description: "“\(text)” is no distance X,Y") }
        return .pixels(values[0], values[1])
    }

    /// A length in pixels, or as a part of a side.
    private func length(
        _ text: String,
        part: (Double) -> ImageLength = ImageLength.widthFraction
    ) throws(Problem) -> ImageLength {
        let isPart = text.hasSuffix("%")
        let number = try number(isPart ? String(text.dropLast()) : text)
        guard number >= 0 else { throw Problem(description: "“\(text)” is less than nothing") }
        return isPart ? part(number / 100) : .pixels(number)
    }

    /// - Throws: `Problem` for a number that is no part of a whole.
    private func part(_ number: Double) throws(Problem) -> Double {
        guard (0...1).contains(number) else { throw Problem(description: "\(number) is not between 0 and 1") }
        return number
    }

    /// One radius for some of the corners, or four, clockwise from the top left.
    private mutating func roundedCorners(_ text: String) throws(Problem) -> RoundedCorners {
        var radii: [ImageLength] = []
        for part in text.split(separator: ",") { radii.append(try length(String(part))) }
        switch radii.count {
        case 1: return RoundedCorners(radii[0], corners: try corners())
        case 4:
            return RoundedCorners(topLeft: radii[0], topRight: radii[1], bottomLeft: radii[3], bottomRight: radii[2])
        default: throw Problem(description: "“\(text)” is neither one radius nor four")
        }
    }

    private mutating func corners() throws(Problem) -> Corners {
        guard let text = labelled.removeValue(forKey: "corners") else { return .all }
        let names: [String: Corners] = [
            "all": .all, "topLeft": .topLeft, "topRight": .topRight, "bottomLeft": .bottomLeft,
            "bottomRight": .bottomRight, "top": .top, "bottom": .bottom, "left": .left, "right": .right,
        ]
        var corners = Corners()
        for name in text.split(separator: "+").map(String.init) {
            guard let corner = names[name] else { throw unknown(name, names.keys.sorted()) }
            corners.formUnion(corner)
        }
        return corners
    }

    /// A border as WIDTH or WIDTH,COLOR.
    private mutating func border() throws(Problem) -> Border? {
        guard let text = labelled.removeValue(forKey: "border") else { return nil }
        let parts = text.split(separator: ",", maxSplits: 1).map(String.init)
        guard let width = parts.first else { throw Problem(description: "the border has no width") }
        let color = parts.count == 2 ? try Self.color(parts[1]) : .black
        return Border(
            width: try length(width, part: ImageLength.shorterSideFraction),
            color: color,
            placement: try placement()
        )
    }

    private mutating func placement() throws(Problem) -> BorderPlacement {
        guard let text = labelled.removeValue(forKey: "placement") else { return .inside }
        switch text {
        case "inside": return .inside
        case "centered": return .centered
        default: throw Self.unknown(text, ["inside", "centered"])
        }
    }

    private mutating func color() throws(Problem) -> Color { try Self.color(try value("the colour")) }

    private mutating func color(_ label: String) throws(Problem) -> Color? {
        guard let text = labelled.removeValue(forKey: label) else { return nil }
        return try Self.color(text) as Color
    }

    private static func color(_ text: String) throws(Problem) -> Color {
        guard let color = ColorArgument(argument: text)?.color else {
            throw Problem(description: "“\(text)” is no colour; write #rrggbb, #rrggbbaa, or a name such as white")
        }
        return color
    }

    private func unknown(_ text: String, _ names: [String]) -> Problem { Self.unknown(text, names) }

    private static func unknown(_ text: String, _ names: [String]) -> Problem {
        Problem(description: "“\(text)” is none of \(names.joined(separator: ", "))")
    }
}

/// A colour as #rgb, #rrggbb, #rrggbbaa or by name.
struct ColorArgument: ExpressibleByArgument, Sendable {
    let color: Color

    private static let names: [String: Color] = [
        "black": .black, "white": .white, "clear": .clear, "transparent": .clear, "gray": Color(white: 0.5),
        "red": Color(red: 1, green: 0, blue: 0), "green": Color(red: 0, green: 0.5, blue: 0),
        "blue": Color(red: 0, green: 0, blue: 1), "yellow": Color(red: 1, green: 1, blue: 0),
        "orange": Color(red: 1, green: 165.0 / 255, blue: 0), "purple": Color(red: 0.5, green: 0, blue: 0.5),
    ]

    init?(argument: String) {
        if let color = Self.names[argument.lowercased()] {
            self.color = color
            return
        }
        guard argument.hasPrefix("#") else { return nil }
        var digits = argument.dropFirst().compactMap(\.hexDigitValue)
        guard digits.count == argument.count - 1 else { return nil }
        if digits.count == 3 { digits = digits.flatMap { [$0, $0] } }
        guard digits.count == 6 || digits.count == 8 else { return nil }
        let parts = stride(from: 0, to: digits.count, by: 2).map { Double(digits[$0] * 16 + digits[$0 + 1]) / 255 }
        color = Color(red: parts[0], green: parts[1], blue: parts[2], alpha: parts.count == 4 ? parts[3] : 1)
    }
}
