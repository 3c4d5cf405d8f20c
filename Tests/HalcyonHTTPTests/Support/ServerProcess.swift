import Glibc

/// A server that runs as a process and says nowhere that it is ready.
enum ServerProcess {
    /// Connects to `port` until someone answers there, or until the process has ended.
    ///
    /// - Returns: the status with which the process has ended; `nil` if it listens.
    static func waitUntilListening(_ process: pid_t, port: Int) -> Int32? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        while true {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            defer { close(client) }
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isConnected { return nil }
            var status: Int32 = 0
            if waitpid(process, &status, WNOHANG) == process { return status }
            sched_yield()
        }
    }
}
