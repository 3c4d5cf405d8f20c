internal import FoundationEssentials

/// A reply of an engine, in the second version of its protocol (RESP2).
enum EngineReply: Sendable, Hashable {
    case null
    case integer(Int64)
    case status(String)
    case error(String)
    case bytes(Data)
    case array([EngineReply])

    /// The text of a string, whatever its bytes.
    var text: String? {
        switch self {
        case .bytes(let data): String(decoding: data, as: UTF8.self)
        case .status(let text): text
        default: nil
        }
    }

    var data: Data? { if case .bytes(let data) = self { data } else { nil } }

    var elements: [EngineReply]? { if case .array(let elements) = self { elements } else { nil } }

    /// The number of an integer, or of a string of digits.
    var number: Int64? { if case .integer(let number) = self { number } else { text.flatMap { Int64($0) } } }

    /// Returns the reply, unless it is an error.
    ///
    /// - Throws: ``FleetError/refused(_:)``, ``FleetError/unavailable(_:)``.
    func checked() throws(FleetError) -> EngineReply {
        guard case .error(let text) = self else { return self }
        throw isTransient ? .unavailable(text) : .refused(text)
    }

    /// The errors of an engine that may answer later, or of a node that is not the one to ask.
    private static let transientErrors: Set<Substring> = [
        "LOADING", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN", "READONLY", "MOVED", "ASK", "BUSY", "NOREPLICAS", "MISCONF",
    ]

    /// `true` for an error that passes with time.
    var isTransient: Bool {
        guard case .error(let text) = self else { return false }
        return Self.transientErrors.contains(text.prefix { $0 != " " }) || text.hasPrefix("ERR max number of clients")
    }

    /// The node that has to be asked instead.
    struct Redirection: Hashable {
        let slot: Int
        /// `nil`: the host of the node that was asked.
        let host: String?
        let port: Int
        /// `true` for this command alone.
        let isForOnce: Bool
    }

    /// The redirection of a cluster; `nil` for another reply.
    var redirection: Redirection? {
        guard case .error(let text) = self else { return nil }
        let words = text.split(separator: " ")
        guard words.count >= 3, words[0] == "MOVED" || words[0] == "ASK", let slot = Int(words[1]),
            0..<ClusterSlots.count ~= slot, let colon = words[2].lastIndex(of: ":"),
            let port = Int(words[2][words[2].index(after: colon)...]), 1...65_535 ~= port
        else { return nil }
        let host = String(words[2][..<colon])
        return Redirection(slot: slot, host: host.isEmpty ? nil : host, port: port, isForOnce: words[0] == "ASK")
    }
}

/// A command and its arguments.
struct EngineCommand: Sendable {
    private(set) var arguments: [Data]

    init(_ arguments: [Data]) {
        self.arguments = arguments
    }

    init(_ words: String...) {
        arguments = words.map { Data($0.utf8) }
    }

    /// A script, which touches these keys alone. Its text is sent each time: half a kilobyte, and no table of what each node of
    /// a cluster has loaded.
    init(script: String, keys: [String], _ values: [Data]) {
        arguments = ["EVAL", script, String(keys.count)].map { Data($0.utf8) } + keys.map { Data($0.utf8) } + values
    }
}
