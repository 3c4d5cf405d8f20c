extension String {
    /// The URL for messages and logs: with an ellipsis in place of its password.
    package var withoutPassword: String {
        let bytes = utf8
        guard let schemeEnd = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[schemeEnd...].starts(with: "://".utf8)
        else {
            return self
        }
        let start = bytes.index(schemeEnd, offsetBy: 3)
        let end = bytes[start...].firstIndex { "/?#\\".utf8.contains($0) } ?? bytes.endIndex
        guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")),
            let colon = bytes[start..<at].firstIndex(of: UInt8(ascii: ":"))
        else { return self }
        return String(self[...colon]) + "…" + String(self[at...])
    }
}
