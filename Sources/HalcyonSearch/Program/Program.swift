import FoundationEssentials

/// A random program: the steps that a pipeline performs, in their order, over an origin.
struct Program: Hashable, Codable, Sendable {
    /// A step and the lane it runs in. The steps of a lane run one after the other, those of different lanes at the
    /// same time, up to the next step that is a barrier.
    struct Line: Hashable, Codable, Sendable {
        var lane: Int
        var step: Step
    }

    /// The behaviour of the origin for a resource.
    struct Resource: Hashable, Codable, Sendable {
        var policy = Policy.none
        var hasValidator = false
        /// A Boolean value that indicates whether the images differ by language, as `Vary` states.
        var isVarying = false
        /// A Boolean value that indicates whether the bytes are more than the index keeps inline.
        var isLarge = false
        /// A Boolean value that indicates whether there are two to four frames.
        var isAnimated = false
        /// A Boolean value that indicates whether the transport reaches the image by a redirect.
        var isRedirected = false
    }

    /// `Cache-Control` of a resource.
    enum Policy: String, Codable, Sendable, CaseIterable {
        case none, minute, noStore, noCache, staleWhileRevalidate, staleIfError

        /// The value of the field.
        var value: String? {
            switch self {
            case .none: nil
            case .minute: "max-age=60"
            case .noStore: "no-store"
            case .noCache: "no-cache"
            case .staleWhileRevalidate: "max-age=5, stale-while-revalidate=100000"
            case .staleIfError: "max-age=5, stale-if-error=100000"
            }
        }

        /// A Boolean value that indicates whether an image is kept and, for a while, used without validation.
        var isStorable: Bool { self != .noStore && self != .noCache }
    }

    /// The seed from which the program was generated; the delays of the origin follow from it too.
    var seed: UInt64
    /// A Boolean value that indicates whether the origin answers by itself, after short random times. If not, the
    /// program has steps that answer.
    var answersAtOnce: Bool
    var resources: [Resource]
    /// A Boolean value that indicates whether the configuration has an observer.
    var isObserved = false
    /// The most bytes of pixels at a time; `nil` for more than all of them take.
    var decodeBudget: Int?
    /// `true` if the pipeline loads from servers alone; `nil` for the default.
    var isUntrusted: Bool?
    var lines: [Line]

    /// The calls of its steps.
    private var calls: [Call] {
        lines.compactMap { line -> Call? in
            switch line.step {
            case .load(let call), .look(let call): call
            default: nil
            }
        }
    }

    /// The caches that options of its calls name.
    var namedCaches: Set<Settings.Caches> { Set(calls.compactMap { $0.settings?.caches }) }

    /// A Boolean value that indicates whether a call loads a file.
    var readsFiles: Bool { calls.contains { $0.identities.contains { $0.form == .file } } }

    /// Returns the program as one line of JSON.
    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// Returns a program from JSON.
    static func decoded(_ data: Data) throws -> Program {
        try JSONDecoder().decode(Program.self, from: data)
    }
}

extension Program: CustomStringConvertible {
    var description: String {
        let isConcurrent = Set(lines.map(\.lane)).count > 1
        var text = ["origin answers \(answersAtOnce ? "by itself" : "when told"); seed \(seed)"]
        if isObserved { text.append("every load is observed") }
        if let decodeBudget { text.append("decode budget of \(decodeBudget) bytes") }
        if isUntrusted == true { text.append("servers are the only sources allowed") }
        for (index, resource) in resources.enumerated() where resource != Resource() {
            var words: [String] = []
            if let value = resource.policy.value { words.append(value) }
            if resource.hasValidator { words.append("ETag") }
            if resource.isVarying { words.append("Vary: Accept-Language") }
            if resource.isLarge { words.append("large") }
            if resource.isAnimated { words.append("several frames") }
            if resource.isRedirected { words.append("redirected") }
            text.append("r\(index): \(words.joined(separator: ", "))")
        }
        for (number, line) in lines.enumerated() {
            let lane = isConcurrent && !line.step.isBarrier ? "[\(line.lane)] " : ""
            text.append("\(number + 1). \(lane)\(line.step)")
        }
        return text.joined(separator: "\n")
    }
}
