internal import CCurlShim
internal import Glibc

/// Cookies in libcurl's engine, which decides which are kept and where they are sent: those of one chain of redirects,
/// or those of a transport's file. One that is for a whole public suffix ("co.uk") is refused if libcurl was built with
/// libpsl, as Debian's and Ubuntu's are; without it, only for top-level domains.
///
/// Used by the event loop's thread alone, so libcurl needs no locks for it.
final class CookieJar {
    /// The most cookies that libcurl takes from one response. A handle that has met them takes none from lines any more
    /// before its next request, which would lack those of its chain.
    static let responseLimit = 50

    private let share: UnsafeMutableRawPointer
    /// The number of fields `Set-Cookie` since the jar was last emptied or checked, even if libcurl refused them.
    fileprivate(set) var newCount = 0

    init() {
        guard let share = libcurl.curl_share_init() else {
            fatalError("libcurl cannot allocate a share handle: out of memory")
        }
        self.share = share
        halcyon_curl_share_cookies(share)
    }

    deinit {
        // The handles hold on to this, so none uses it any more.
        _ = libcurl.curl_share_cleanup(share)
    }

    func attach(to easy: UnsafeMutableRawPointer) {
        halcyon_curl_set_share(easy, share)
        // Without a file, even if there is none, libcurl does not read the cookies it has.
        halcyon_curl_set_string(easy, CURLOPT_COOKIEFILE, "")
    }

    /// Takes a handle out, so that it neither sends nor takes cookies.
    static func detach(from easy: UnsafeMutableRawPointer) {
        halcyon_curl_set_share(easy, nil)
        halcyon_curl_set_string(easy, CURLOPT_COOKIEFILE, nil)
    }

    func removeAll(through easy: UnsafeMutableRawPointer) {
        halcyon_curl_set_string(easy, CURLOPT_COOKIELIST, "ALL")
        newCount = 0
    }

    /// Adds a cookie in the form of ``lines(through:)``.
    func add(_ line: [CChar], through easy: UnsafeMutableRawPointer) {
        halcyon_curl_set_string(easy, CURLOPT_COOKIELIST, line)
    }

    /// Returns the cookies as the lines of a Netscape cookie file: domain, whether it holds for hosts below it, path,
    /// whether for TLS alone, expiry, name and value, with tabs in between, and a byte 0 at the end. Their bytes need not
    /// be text.
    func lines(through easy: UnsafeMutableRawPointer) -> [[CChar]] {
        let list = halcyon_curl_get_list(easy, CURLINFO_COOKIELIST)
        defer { libcurl.curl_slist_free_all(list) }
        var lines: [[CChar]] = []
        var next = list
        while let node = next {
            next = node.pointee.next
            guard let line = node.pointee.data else { continue }
            lines.append(Array(UnsafeBufferPointer(start: line, count: strlen(line) + 1)))
        }
        return lines
    }

    /// Counts a line of a response's head, if it sets a cookie.
    func note(_ line: UnsafeRawBufferPointer) {
        let name: StaticString = "set-cookie:"
        guard line.count > name.utf8CodeUnitCount, line[0] | 0x20 == 0x73,
            name.withUTF8Buffer({ name in zip(line, name).allSatisfy { $0 | 0x20 == $1 | 0x20 } })
        else { return }
        newCount += 1
    }
}

/// The jar of a transport with a ``CookieFile``: libcurl reads the file with the first transfer. It is written when no
/// transfer is under way, and at the end of the transport.
///
/// libcurl bounds what one response may set, but keeps all that ever came. So the jar is checked when it may have
/// grown beyond its limits, and before it is written. The file is not written by libcurl, which empties it first.
final class StoredCookies {
    private static let maximumDomainCount = 50
    private static let maximumCount = 3_000

    let jar = CookieJar()
    private let file: CookieFile
    /// A handle for the jar alone, which sends nothing.
    private let easy: UnsafeMutableRawPointer
    /// The cookies in all, and of the domain that had the most, when the jar was last checked.
    private var count = 0
    private var greatestDomainCount = 0
    /// `true` while the file lacks changes.
    private var isChanged = false
    /// The cookies that the jar had when it was last like the file, but for what others have changed there.
    private var known: Set<[CChar]> = []
    /// `true` while cookies that others have put into the file are to be removed from it.
    private var removesAll = false

    init(_ file: CookieFile) {
        guard let easy = libcurl.curl_easy_init() else {
            fatalError("libcurl cannot allocate an easy handle: out of memory")
        }
        self.easy = easy
        self.file = file
        jar.attach(to: easy)
        halcyon_curl_set_string(easy, CURLOPT_COOKIEFILE, file.path)
        halcyon_curl_set_string(easy, CURLOPT_COOKIELIST, "RELOAD")
        trim()
        known = Set(jar.lines(through: easy))
        isChanged = false
    }

    deinit {
        libcurl.curl_easy_cleanup(easy)
    }

    func removeAll() {
        jar.removeAll(through: easy)
        (count, greatestDomainCount) = (0, 0)
        (isChanged, removesAll) = (true, true)
    }

    /// Removes the excess: the oldest of a domain, then the oldest of the domains that have the most.
    func trimIfNeeded() {
        guard greatestDomainCount + jar.newCount > Self.maximumDomainCount || count + jar.newCount > Self.maximumCount
        else { return }
        trim()
    }

    /// Writes the file, if it lacks changes: once more each time until that succeeds.
    ///
    /// - Parameter isLast: `true` at the end. Default: `false`.
    func write(isLast: Bool = false) {
        if jar.newCount > 0 { trim() }
        guard isChanged else { return }
        let lines = jar.lines(through: easy)
        guard file.write(isLast: isLast, { removesAll ? lines : merged(lines) }) else { return }
        (isChanged, removesAll, known) = (false, false, Set(lines))
    }

    /// Returns the cookies that the file has by now, with the changes of this jar.
    private func merged(_ lines: [[CChar]]) -> [[CChar]] {
        let current = StoredCookies(file)
        // By name: another process may have refreshed what this one has removed.
        let removed = Set(known.map(Self.identity)).subtracting(lines.map(Self.identity))
        let kept = current.jar.lines(through: current.easy).filter { !removed.contains(Self.identity(of: $0)) }
        current.jar.removeAll(through: current.easy)
        // libcurl tells which of them replaces another.
        for line in kept + lines.filter({ !known.contains($0) }) { current.jar.add(line, through: current.easy) }
        current.trim()
        return current.jar.lines(through: current.easy)
    }

    private func trim() {
        let lines = jar.lines(through: easy)
        let domains = lines.map(Self.domain)
        var counts: [String: Int] = [:]
        for domain in domains { counts[domain, default: 0] += 1 }
        let allowance = Self.allowance(counts.values)
        greatestDomainCount = counts.values.reduce(0) { max($0, min($1, allowance)) }
        // Those of a domain are in the order in which they came.
        counts = [:]
        var kept: [[CChar]] = []
        for (line, domain) in zip(lines, domains).reversed() where kept.count < Self.maximumCount {
            counts[domain, default: 0] += 1
            if counts[domain, default: 0] <= allowance { kept.append(line) }
        }
        if kept.count < lines.count {
            jar.removeAll(through: easy)
            for line in kept.reversed() { jar.add(line, through: easy) }
        }
        jar.newCount = 0
        isChanged = true
        count = kept.count
    }

    /// Returns domain, path and name of a line, by which libcurl tells one cookie from another.
    private static func identity(of line: [CChar]) -> [ArraySlice<CChar>] {
        let fields = line.split(separator: 0x09, omittingEmptySubsequences: false)
        return [0, 2, 5].compactMap { fields.indices.contains($0) ? fields[$0] : nil }
    }

    /// Returns the domain of a line, whether the cookie holds for hosts below it or not.
    private static func domain(of line: [CChar]) -> String {
        let field = line.prefix { $0 != 0x09 && $0 != 0 }
        var domain = String(decoding: field.map { UInt8(bitPattern: $0) }, as: UTF8.self)[...]
        let mark = "#HttpOnly_"
        if domain.hasPrefix(mark) { domain = domain.dropFirst(mark.count) }
        if domain.hasPrefix(".") { domain = domain.dropFirst() }
        return domain.lowercased()
    }

    /// Returns the most cookies that each domain may have, so that all together are not too many; at least one.
    private static func allowance(_ counts: some Collection<Int>) -> Int {
        for allowance in (1...maximumDomainCount).reversed()
        where counts.reduce(0, { $0 + min($1, allowance) }) <= maximumCount { return allowance }
        return 1
    }
}
