public import FoundationEssentials
public import HTTPTypes
internal import HalcyonConcurrency

/// The cookies of one user: taken from responses and sent with requests, kept in memory or in a file (RFC 6265; where
/// browsers agree on more, draft-ietf-httpbis-rfc6265bis).
///
/// A store is used by the requests that name it, or whose downloader does. Each hop of a redirected request is sent the
/// cookies that apply there, and each response on the way may set some. They are a credential of the request: an image that
/// came with some is not given to a request with others, or with none, unless both name one scope.
///
/// ```swift
/// let cookies = try CookieStore(file: folder + "/cookies.txt")
/// let image = try await pipeline.image(from: url, options: [.cookies(cookies)])
/// try await cookies.flush()
/// ```
///
/// One store is one user. A program with several users has one for each.
///
/// The file is in Netscape's format, which curl and wget read too. Its user alone may read it, it is replaced as a whole,
/// and several processes may share it: each writes its own changes into what the others wrote, and reads theirs when it
/// does.
public final class CookieStore: Sendable {
    struct State {
        var table: CookieTable
        /// The changes that are not in the file yet.
        var pending = CookieChanges()
        /// A Boolean value that indicates whether a write is going to begin.
        var isWriteAhead = false
    }

    let configuration: Configuration
    let file: PrivateFile?
    let state: Lock<State>
    /// Writes the file, on one thread, so that the writes of one store come in order.
    let writer = WorkQueue(name: "halcyon.cookies", width: 1)

    /// A store in memory, which ends with the object.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        file = nil
        state = Lock(State(table: CookieTable(limits: configuration.limits)))
    }

    /// A store in a file, which is read here, and made when the first cookie comes.
    ///
    /// Blocks for as long as it takes to read some hundred kilobytes.
    ///
    /// - Parameters:
    ///   - path: An absolute path. The file of another user, one that others may write, and a symbolic link are refused.
    ///   - configuration: The settings. Default: the defaults.
    /// - Throws: ``PrivateFileError``.
    public init(file path: String, configuration: Configuration = Configuration()) throws(PrivateFileError) {
        self.configuration = configuration
        let limits = configuration.limits
        let file = PrivateFile(
            path,
            fileSystem: configuration.fileSystem,
            // Beside what counts: tabs, dates, and what another program may have added.
            maximumBytes: 2 * limits.byteCount + 128 * limits.count + (1 << 16)
        )
        self.file = file
        let now = configuration.clock.now()
        var table = CookieTable(limits: limits)
        for cookie in CookieFile.cookies(try file.read() ?? Data(), maximumCount: 2 * limits.count) {
            table.set(cookie)
        }
        table.evict(at: now, isPublicSuffix: configuration.isSuffix)
        state = Lock(State(table: table))
    }

    /// All cookies that have not expired, in the order in which they were first set.
    public var cookies: [Cookie] {
        let now = configuration.clock.now()
        return state.withLock { $0.table }.cookies.filter { !$0.isExpired(at: now) }
    }

    /// Returns the cookies for a URL, in the order in which a request is sent them.
    public func cookies(for url: URL) -> [Cookie] {
        guard let place = CookiePlace(url) else { return [] }
        let now = configuration.clock.now()
        return state.withLock { $0.table }.cookies(for: place, at: now)
    }

    /// Returns the field `Cookie` of a request for a URL; `nil` for none.
    func field(for url: URL) -> String? {
        guard let place = CookiePlace(url) else { return nil }
        let now = configuration.clock.now()
        return state.withLock { $0.table }.field(for: place, at: now)
    }

    /// Takes the cookies that a response sets. Transfers do it by themselves; a program may do it with the response to a
    /// login that it made by other means.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response, of which `Set-Cookie` counts.
    ///   - url: The URL of the request.
    public func receive(_ fields: HTTPFields, from url: URL) {
        guard fields.contains(.setCookie), let place = CookiePlace(url) else { return }
        let now = configuration.clock.now()
        // Before the lock is taken, as the rule of public suffixes is the program's.
        let cookies = Cookie.cookies(fields, from: place, now: now, isPublicSuffix: configuration.isSuffix)
        change { state in
            for cookie in cookies where state.table.receive(cookie, from: place, at: now) {
                state.pending.note(cookie.isExpired(at: now) ? nil : cookie, for: Cookie.Key(cookie))
            }
        }
        evict(at: now)
    }

    /// Removes all cookies, from the file as well. A transfer that is under way may set new ones.
    public func removeAll() {
        change { state in
            state.table = CookieTable(limits: configuration.limits)
            state.pending = CookieChanges(removesAll: true)
        }
    }

    /// Removes the cookies that satisfy a predicate.
    ///
    /// - Parameter isUnwanted: Called with no lock held.
    public func removeAll(where isUnwanted: (Cookie) -> Bool) {
        remove(state.withLock { $0.table }.cookies.filter(isUnwanted))
    }

    /// Removes what is beyond the limits. Which cookies these are is worked out without the lock, as the rule of public
    /// suffixes is the program's.
    private func evict(at now: Date) {
        var table = state.withLock { $0.table }
        let evicted = table.evict(at: now, isPublicSuffix: configuration.isSuffix)
        if !evicted.isEmpty { remove(evicted) }
    }

    /// Removes cookies, unless they were set anew meanwhile.
    private func remove(_ cookies: [Cookie]) {
        change { state in
            for cookie in cookies {
                let key = Cookie.Key(cookie)
                guard state.table[key] == cookie else { continue }
                state.table.remove(for: key)
                state.pending.note(nil, for: key)
            }
        }
    }
}

extension CookieStore: Hashable {
    /// Returns whether both are the same object.
    public static func == (left: CookieStore, right: CookieStore) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
