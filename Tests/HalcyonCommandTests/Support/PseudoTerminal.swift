import Dispatch
import Glibc

/// A terminal without a person: what is written to ``slave`` is read here.
///
/// Unchecked: one test reads, one call after the other.
final class PseudoTerminal: @unchecked Sendable {
    struct Failure: Error {
        let reason: String
    }

    /// What a process gets in place of a terminal.
    let slave: Int32
    private let master: Int32
    /// TIOCSPTLCK and TIOCGPTN of <asm-generic/ioctls.h>.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    /// Whether this system gives any; a bare chroot has no /dev/pts.
    static var isAvailable: Bool { (try? PseudoTerminal(columns: 80)) != nil }

    init(columns: UInt16) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // What unlockpt and ptsname do; Swift does not see those two.
        var isLocked: Int32 = 0
        var number: Int32 = 0
        guard master >= 0, ioctl(master, Self.setLock, &isLocked) == 0, ioctl(master, Self.getNumber, &number) == 0
        else { throw Failure(reason: String(cString: strerror(errno))) }
        slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw Failure(reason: String(cString: strerror(errno))) }
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(slave, UInt(TIOCSWINSZ), &size) == 0 else {
            throw Failure(reason: String(cString: strerror(errno)))
        }
    }

    deinit {
        close(slave)
        close(master)
    }

    /// Reads on until the text comes; fails after a minute.
    func read(until text: String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "halcyon.tests.terminal").async { [self] in
                var bytes: [UInt8] = []
                while !String(decoding: bytes, as: UTF8.self).contains(text) {
                    guard let more = readNow(milliseconds: 60_000) else {
                        let seen = String(decoding: bytes, as: UTF8.self)
                        return continuation.resume(throwing: Failure(reason: "“\(text)” never came, only “\(seen)”"))
                    }
                    bytes += more
                }
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    /// Everything that has been written and not read, when nobody writes any more.
    func readRest() -> String {
        var bytes: [UInt8] = []
        while let more = readNow(milliseconds: 0) { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func readNow(milliseconds: Int32) -> [UInt8]? {
        var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, milliseconds) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(master, &buffer, buffer.count)
        return count > 0 ? Array(buffer[..<count]) : nil
    }
}
