internal import Glibc
internal import HalcyonIsolation

/// The first steps of code that took a decoder over.
enum TrialAttack {
    /// A function of the C library that Swift does not import, with its arguments in registers, as variadic ones have theirs, too.
    private typealias Call = @convention(c) (Int, Int, Int, Int, Int, Int) -> Int32

    private static func call(_ name: String, _ arguments: Int...) -> Int32 {
        guard let address = dlsym(nil, name) else { return -1 }
        let function = unsafeBitCast(address, to: Call.self)
        let all = arguments + [Int](repeating: 0, count: 6 - arguments.count)
        return function(all[0], all[1], all[2], all[3], all[4], all[5])
    }

    /// Returns the number of the error that an attack meets, 0 if it succeeds, and `nil` for what is no attack.
    static func error(of work: TrialWork, _ task: WorkerTask) -> Int32? {
        errno = 0
        let result: Int32
        switch work {
        case .openFile: result = open("/etc/passwd", O_RDONLY)
        case .createFile: result = open("/tmp/halcyon-attack", O_CREAT | O_WRONLY, 0o600)
        case .openFont: result = open("/usr/share/fonts", O_RDONLY | O_DIRECTORY)
        case .statFile:
            var status = stat()
            #if arch(x86_64)
            let number = 262
            #else
            let number = 79
            #endif
            result = "/etc/passwd".withCString { path in
                withUnsafeMutablePointer(to: &status) { status in
                    // newfstatat, with AT_FDCWD and AT_EMPTY_PATH, as glibc asks for an open file.
                    call("syscall", number, -100, Int(bitPattern: path), Int(bitPattern: status), 0x1000)
                }
            }
        case .connectTCP: result = connectTCP()
        case .connect: result = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        case .fork:
            result = call("fork")
            if result == 0 { _exit(0) }
        case .execute:
            result = "/bin/true".withCString { path in call("execve", Int(bitPattern: path), 0, 0) }
        case .signalParent: result = kill(parent(task), 0)
        case .makeMemoryExecutable:
            let map = mmap(nil, 4_096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            result = map == MAP_FAILED ? -1 : 0
        case .traceParent: result = call("ptrace", 16, Int(parent(task)), 0, 0)  // PTRACE_ATTACH
        case .readParent: result = call("process_vm_readv", Int(parent(task)), 0, 0, 0, 0, 0)
        case .openProcess: result = call("pidfd_open", Int(parent(task)), 0)
        case .raiseLimit:
            var limit = rlimit(rlim_cur: .max, rlim_max: .max)
            result = setrlimit(__rlimit_resource_t(2), &limit)  // RLIMIT_DATA
        case .writeInput:
            let page = Int(bitPattern: task.input.baseAddress) & ~4_095
            result = mprotect(UnsafeMutableRawPointer(bitPattern: page), 4_096, PROT_READ | PROT_WRITE)
        case .useIOUring: result = call("syscall", 425, 1, 0)  // io_uring_setup
        case .unshare: result = call("unshare", 0x1000_0000)  // CLONE_NEWUSER
        default: return nil
        }
        return result < 0 ? errno : 0
    }

    /// Connects to a port of this machine at which nobody listens.
    private static func connectTCP() -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return -1 }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(1).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// The process that the parameters name.
    private static func parent(_ task: WorkerTask) -> pid_t {
        pid_t(String(decoding: task.parameters, as: UTF8.self)) ?? 1
    }

    /// Starts threads that wait, as many as the system allows, up to a thousand.
    static func startThreads() {
        for _ in 0..<1_000 {
            var thread = pthread_t()
            pthread_create(&thread, nil, { _ in while true { sleep(1_000) } }, nil)
        }
    }

    /// Maps memory a second time, which stays when the first map has gone.
    static func secondMap(of memory: UnsafeMutableRawBufferPointer) -> UnsafeMutablePointer<UInt8>? {
        typealias Remap = @convention(c) (Int, Int, Int, Int, Int, Int) -> Int
        guard let address = dlsym(nil, "mremap") else { return nil }
        let remap = unsafeBitCast(address, to: Remap.self)
        let start = Int(bitPattern: memory.baseAddress)
        // MREMAP_MAYMOVE; an old size of nothing leaves shared memory where it is.
        return UnsafeMutablePointer(bitPattern: remap(start, 0, memory.count, 1, 0, 0))
    }

    /// Starts a thread and returns the number that it leaves.
    static func numberOfThread() throws -> UInt8 {
        var thread = pthread_t()
        let error = pthread_create(&thread, nil, { _ in UnsafeMutableRawPointer(bitPattern: 42) }, nil)
        guard error == 0 else { throw WorkerFailure(payload: Array("\(error)".utf8)) }
        var result: UnsafeMutableRawPointer?
        pthread_join(thread, &result)
        return UInt8(Int(bitPattern: result))
    }
}
