internal import FoundationEssentials

/// The text of a file of cookies in Netscape's format, as curl, wget and browsers' exports have it: a line a cookie, with
/// domain, whether it holds for hosts below it, path, whether for TLS alone, seconds since 1970 (0: the session), name and
/// value, with tabs in between.
enum CookieFile {
    private static let header =
        "# Netscape HTTP Cookie File\n# Written by Halcyon. Whoever has this file has the sessions.\n\n"
    private static let mark = "#HttpOnly_"
    /// The latest expiry that is read, the end of the year 9999: curl writes `INT64_MAX` for a cookie that never ends, which
    /// no date gives back.
    private static let latestExpiry: Int64 = 253_402_300_799

    /// Returns the cookies of a file. Lines that are none are left out.
    static func cookies(_ data: Data, maximumCount: Int) -> [Cookie] {
        var cookies: [Cookie] = []
        for line in data.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            guard cookies.count < maximumCount else { break }
            if let cookie = cookie(line) { cookies.append(cookie) }
        }
        return cookies
    }

    /// Returns the file for cookies, whose text has neither tabs nor line ends.
    static func data(_ cookies: [Cookie]) -> Data {
        var text = header
        for cookie in cookies where isWritable(cookie) {
            if cookie.isHTTPOnly { text += mark }
            // In this order, as `max` returns its first argument where the second is no number.
            let seconds =
                cookie.expires.map {
                    Int(min(max(1, $0.timeIntervalSince1970.rounded(.up)), Double(latestExpiry)))
                } ?? 0
            text += cookie.isHostOnly ? cookie.domain : ".\(cookie.domain)"
            text += "\t\(cookie.isHostOnly ? "FALSE" : "TRUE")\t\(cookie.path)\t\(cookie.isSecure ? "TRUE" : "FALSE")"
            text += "\t\(seconds)\t\(cookie.name)\t\(cookie.value)\n"
        }
        return Data(text.utf8)
    }

    /// Returns whether a cookie is read as it is written. A tab in it would end a part.
    static func isWritable(_ cookie: Cookie) -> Bool {
        ![cookie.name, cookie.value, cookie.domain, cookie.path].contains { text in
            text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        }
    }

    private static func cookie(_ line: Data) -> Cookie? {
        guard line.count <= 3 * Cookie.maximumPairBytes, let text = String(validating: line, as: UTF8.self) else {
            return nil
        }
        let isHTTPOnly = text.hasPrefix(mark)
        guard isHTTPOnly || !text.hasPrefix("#") else { return nil }
        let fields = (isHTTPOnly ? text.dropFirst(mark.count) : text[...])
            .split(separator: "\t", omittingEmptySubsequences: false)
        // A value that is missing is an empty one, as for curl.
        guard fields.count == 7 || fields.count == 6, let seconds = Int64(fields[4]), seconds >= 0 else { return nil }
        let value = fields.count == 7 ? fields[6] : ""
        let name = fields[5]
        let domain = (fields[0].hasPrefix(".") ? fields[0].dropFirst() : fields[0]).lowercased()
        let path = fields[2].isEmpty ? "/" : String(fields[2])
        guard !name.isEmpty, CookiePlace.isHost(domain), path.utf8.first == UInt8(ascii: "/"),
            name.utf8.count + value.utf8.count <= Cookie.maximumPairBytes,
            path.utf8.count <= Cookie.maximumAttributeBytes
        else { return nil }
        let cookie = Cookie(
            name: String(name),
            value: String(value),
            domain: domain,
            isHostOnly: fields[1].uppercased() != "TRUE",
            path: path,
            expires: seconds == 0 ? nil : Date(timeIntervalSince1970: Double(min(seconds, latestExpiry))),
            isSecure: fields[3].uppercased() == "TRUE",
            isHTTPOnly: isHTTPOnly
        )
        return isWritable(cookie) ? cookie : nil
    }
}
