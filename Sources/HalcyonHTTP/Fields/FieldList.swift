internal import HTTPTypes

/// The members of a field that is a list (RFC 9110, section 5.6.1).
package enum FieldList {
    /// Returns the members of all lines, without the white space around them and without empty ones. Commas inside
    /// quoted strings separate nothing.
    static func members(_ lines: [String]) -> [Substring] {
        lines.flatMap { parts(of: $0[...], separator: UInt8(ascii: ",")) }
    }

    /// Returns the parts of a text, without the white space around them and without empty ones. Separators inside quoted
    /// strings separate nothing, and the byte after a backslash in one is taken literally.
    package static func parts(of line: Substring, separator: UInt8) -> [Substring] {
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
            case separator where !isQuoted:
                add(position)
                start = bytes.index(after: position)
            case UInt8(ascii: "\""):
                isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted:
                // The next byte is taken literally.
                let next = bytes.index(after: position)
                if next < bytes.endIndex { position = next }
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
