internal import CCurl
internal import CCurlShim
internal import Glibc

/// The cookies of all handles of one transport. Used by the event loop's thread alone, so libcurl needs no locks for
/// it.
///
/// libcurl bounds what one response may set, but keeps all that ever came. So the jar is checked when it may have
/// grown beyond the limits of ``CookiePolicy/inMemory``.
final class CookieJar {
    private static let maximumDomainCount = 50
    private static let maximumCount = 3_000
    private static let maximumBytes = 4_096

    private let share: UnsafeMutableRawPointer
    /// The cookies in all, and of the domain that had the most, when the jar was last checked.
    private var count = 0
    private var greatestDomainCount = 0
    /// The cookies that came since, even if they replaced one or were refused, and whether one may be too long.
    private var newCount = 0
    private var hasLongOnes = false

    init() {
        guard let share = curl_share_init() else { fatalError("libcurl cannot allocate a share handle: out of memory") }
        self.share = share
        halcyon_curl_share_cookies(share)
    }

    deinit {
        // The handles hold on to this, so none uses it any more.
        curl_share_cleanup(share)
    }

    func attach(to handle: CurlHandle) {
        halcyon_curl_set_share(handle.easy, share)
        // Without a file, even if there is none, libcurl does not read the cookies it has.
        handle.set(CURLOPT_COOKIEFILE, "")
    }

    func removeAll(through handle: CurlHandle) {
        halcyon_curl_set_string(handle.easy, CURLOPT_COOKIELIST, "ALL")
        (count, greatestDomainCount, newCount, hasLongOnes) = (0, 0, 0, false)
    }

    /// Counts a line of a response's head, if it sets a cookie. A path that it does not name is that of the URL.
    func note(_ line: UnsafeRawBufferPointer, urlBytes: Int) {
        let name: StaticString = "set-cookie:"
        guard line.count > name.utf8CodeUnitCount, line[0] | 0x20 == 0x73,
            name.withUTF8Buffer({ name in zip(line, name).allSatisfy { $0 | 0x20 == $1 | 0x20 } })
        else { return }
        newCount += 1
        if line.count + urlBytes > Self.maximumBytes { hasLongOnes = true }
    }

    /// A Boolean value that indicates whether there may be more cookies than are kept, or longer ones.
    var mayBeOverfull: Bool {
        hasLongOnes || greatestDomainCount + newCount > Self.maximumDomainCount || count + newCount > Self.maximumCount
    }

    /// Removes the excess: too long ones, the oldest of a domain, then the oldest of the domains that have the most.
    func trim(through handle: CurlHandle) {
        let list = halcyon_curl_get_list(handle.easy, CURLINFO_COOKIELIST)
        defer { curl_slist_free_all(list) }
        var domains: [[UInt8]: [UnsafeMutablePointer<CChar>]] = [:]
        var lines = 0
        var next = list
        while let node = next {
            next = node.pointee.next
            lines += 1
            guard let line = node.pointee.data, let domain = Self.domain(of: line) else { continue }
            domains[domain, default: []].append(line)
        }
        let allowance = Self.allowance(domains.values.map(\.count))
        let kept = domains.values.flatMap { $0.suffix(allowance) }.prefix(Self.maximumCount)
        if kept.count < lines {
            removeAll(through: handle)
            for line in kept { halcyon_curl_set_string(handle.easy, CURLOPT_COOKIELIST, line) }
        }
        (newCount, hasLongOnes) = (0, false)
        count = kept.count
        greatestDomainCount = domains.values.reduce(0) { max($0, min($1.count, allowance)) }
    }

    /// Returns the most cookies that each domain may have, so that all together are not too many; at least one.
    private static func allowance(_ counts: [Int]) -> Int {
        for allowance in (1...maximumDomainCount).reversed()
        where counts.reduce(0, { $0 + min($1, allowance) }) <= maximumCount { return allowance }
        return 1
    }

    /// Returns the domain of a cookie in the form of libcurl: domain, whether it holds for hosts below it, path,
    /// whether for TLS alone, expiry, name and value, with tabs in between. `nil` for one that is not to be kept.
    private static func domain(of line: UnsafeMutablePointer<CChar>) -> [UInt8]? {
        let bytes = UnsafeRawBufferPointer(start: line, count: strlen(line))
        let fields = bytes.split(separator: 0x09, omittingEmptySubsequences: false)
        // One without a name is none (RFC 6265, section 5.2).
        guard fields.count == 7, !fields[5].isEmpty,
            fields[0].count + fields[2].count + fields[5].count + fields[6].count <= maximumBytes
        else { return nil }
        var domain = fields[0]
        let mark = Array("#HttpOnly_".utf8)
        if domain.starts(with: mark) { domain = domain.dropFirst(mark.count) }
        if domain.first == 0x2E { domain = domain.dropFirst() }
        return domain.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}
