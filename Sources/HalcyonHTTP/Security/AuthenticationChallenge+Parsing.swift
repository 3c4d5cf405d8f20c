extension AuthenticationChallenge {
    /// The largest number of challenges, more than any server sends; the rest is ignored.
    static let maximumCount = 32
    /// The largest number of parameters of one challenge; the rest is ignored.
    static let maximumParameterCount = 64

    /// Reads the values of `WWW-Authenticate` or `Proxy-Authenticate` fields (RFC 9110, section 11.6.1).
    ///
    /// One value may hold several challenges, separated by the same commas as the parameters of one. A value is read up
    /// to the first invalid place; the part before it counts. Of a parameter given twice the first counts.
    public static func challenges(in values: [String]) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        for value in values where challenges.count < maximumCount {
            var parser = ChallengeParser(value)
            while challenges.count < maximumCount, let challenge = parser.next() {
                challenges.append(challenge)
            }
        }
        return challenges
    }
}

/// Parses the bytes of one field value, in one pass.
private struct ChallengeParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Returns the challenge that begins here; `nil` at the end and where none begins.
    mutating func next() -> AuthenticationChallenge? {
        skipSeparators()
        guard let scheme = token() else { return nil }
        var challenge = AuthenticationChallenge(scheme: scheme)
        guard position == bytes.count || bytes[position].isFieldSpace || bytes[position] == UInt8(ascii: ",") else {
            position = bytes.count
            return nil
        }
        skipSpaces()
        // "Negotiate YII=" has one of these in place of parameters; "a=b" and "a = b" are parameters.
        if let token = token68() {
            challenge.token = token
            return challenge
        }
        while true {
            let start = position
            skipSeparators()
            guard let name = token() else { return challenge }
            skipSpaces()
            guard take(UInt8(ascii: "=")) else {
                // Not a parameter but the next challenge's scheme.
                position = start
                return challenge
            }
            skipSpaces()
            guard let value = take(UInt8(ascii: "\"")) ? quotedRest() : token() else {
                position = bytes.count
                return challenge
            }
            let key = name.lowercased()
            if challenge.parameters[key] == nil,
                challenge.parameters.count < AuthenticationChallenge.maximumParameterCount
            {
                challenge.parameters[key] = value
            }
            skipSpaces()
            guard position == bytes.count || bytes[position] == UInt8(ascii: ",") else {
                position = bytes.count
                return challenge
            }
        }
    }

    private mutating func skipSpaces() {
        while position < bytes.count, bytes[position].isFieldSpace { position += 1 }
    }

    private mutating func skipSeparators() {
        while position < bytes.count, bytes[position].isFieldSpace || bytes[position] == UInt8(ascii: ",") {
            position += 1
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Reads a token (RFC 9110, section 5.6.2).
    private mutating func token() -> String? {
        let start = position
        while position < bytes.count, bytes[position].isTokenByte { position += 1 }
        return start == position ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Reads a token68 (RFC 9110, section 11.2); leaves the position as it is where something else stands.
    private mutating func token68() -> String? {
        var end = position
        while end < bytes.count, Self.isToken68Byte(bytes[end]) { end += 1 }
        let textEnd = end
        while end < bytes.count, bytes[end] == UInt8(ascii: "=") { end += 1 }
        var next = end
        while next < bytes.count, bytes[next].isFieldSpace { next += 1 }
        guard textEnd > position, next == bytes.count || bytes[next] == UInt8(ascii: ",") else { return nil }
        defer { position = next }
        return String(decoding: bytes[position..<end], as: UTF8.self)
    }

    /// Reads up to the closing quote, escapes undone (RFC 9110, section 5.6.4); `nil` if it never closes.
    private mutating func quotedRest() -> String? {
        var text: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard position < bytes.count else { return nil }
                text.append(bytes[position])
                position += 1
            default:
                text.append(byte)
            }
        }
        return nil
    }

    private static func isToken68Byte(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-._~+/".utf8.contains(byte)
    }
}
