internal import HTTPTypes

/// The members of a field that is a list (RFC 9110, section 5.6.1).
enum FieldList {
    /// Returns the members of all lines, without the white space around them and without empty ones. Commas inside
    /// quoted strings separate nothing.
    static func members(_ lines: [String]) -> [Substring] {
        lines.flatMap { split($0, hasEscapes: true) }
    }

    /// Returns the members of all lines of a field that lists entity tags. A backslash in a tag escapes nothing (RFC
    /// 9110, section 8.8.3).
    static func entityTags(_ lines: [String]) -> [Substring] {
        lines.flatMap { split($0, hasEscapes: false) }
    }

    private static func split(_ line: String, hasEscapes: Bool) -> [Substring] {
        var members: [Substring] = []
        let bytes = line.utf8
        var start = bytes.startIndex
        var position = start
        var isQuoted = false
        func add(_ end: String.Index) {
            let member = line[start..<end].trimmingFieldSpace
            if !member.isEmpty { members.append(member) }
        }
        while position < bytes.endIndex {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted && hasEscapes:
                // The next byte is taken literally.
                let next = bytes.index(after: position)
                if next < bytes.endIndex { position = next }
            case UInt8(ascii: ",") where !isQuoted:
                add(position)
                start = bytes.index(after: position)
            default:
                break
            }
            position = bytes.index(after: position)
        }
        add(bytes.endIndex)
        return members
    }
}

extension HTTPFields {
    /// Returns the names in a list field such as `Vary` or `Connection`; "*" is none.
    func names(in field: HTTPField.Name) -> [HTTPField.Name] {
        FieldList.members(self[values: field]).compactMap { HTTPField.Name(String($0)) }
    }
}
