internal import Glibc

/// The number of files and sockets that the process may have open.
enum OpenFileLimit {
    /// What the process opens besides its loads: the cache, the list, the report, timers, threads that resolve names.
    private static let reserve = 61
    /// What one load at a time opens in all, with a worker, the cache and the report.
    private static let minimum = 25
    /// A load's connection, the file that its body is written to, and that of its result.
    private static let filesPerLoad = 3

    /// The lowest limit with room for one load.
    ///
    /// A limit is one of descriptors' numbers: what the parent of this process left open takes some, wherever they are.
    private static let needed = {
        var (descriptor, free) = (Int32(3), 0)
        while free < minimum {
            if fcntl(descriptor, F_GETFD) < 0 { free += 1 }
            descriptor += 1
        }
        return Int(descriptor)
    }()

    /// The files that were open before the program opened any: the standard ones, and what its parent left open.
    private static var inherited: Int { needed - minimum }

    /// Raises the limit as far as the process may, which is 1,024 at first on most systems.
    static func raise() {
        if var limit = current, limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        _ = needed
    }

    /// Returns as many of a number of loads at a time as the limit has room for, and warns where that is fewer.
    ///
    /// - Throws: ``TooLow``.
    static func fitting(_ concurrency: Int) throws(TooLow) -> Int {
        if let limit = current?.rlim_cur, limit < needed { throw TooLow(count: Int(limit)) }
        let most = mostLoads
        guard concurrency > most else { return concurrency }
        Terminal.warn(
            "\(most) images at a time instead of \(concurrency): no more files may be open, unless `ulimit -n` raises that"
        )
        return most
    }

    /// The error of a limit that has no room for one load.
    struct TooLow: Error, CustomStringConvertible {
        let count: Int

        var description: String {
            "only \(count) files may be open, and \(needed) are needed; raise that with `ulimit -n`"
        }
    }

    /// The largest number of loads at a time, and of connections.
    static var mostLoads: Int {
        guard let limit = current?.rlim_cur, let count = Int(exactly: limit) else { return .max }
        return max(1, (count - inherited - reserve) / filesPerLoad)
    }

    private static var current: rlimit? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
    }
}
