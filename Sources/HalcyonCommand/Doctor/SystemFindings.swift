internal import Glibc
internal import Halcyon

/// Facts about the kernel and the limits of this process.
enum SystemFindings {
    static var kernel: [Finding] {
        var name = utsname()
        uname(&name)
        let sources = MemoryPressureSources()
        let pressure = (sources.stallFiles + [sources.eventsFile].compactMap(\.self)).first { access($0, R_OK) == 0 }
        let facts: [(String, String?)] = [
            ("Release", "\(text(&name.sysname)) \(text(&name.release)) \(text(&name.machine))"),
            ("Processors", "\(sysconf(Int32(_SC_NPROCESSORS_ONLN)))"),
            ("Memory pressure", pressure),
            ("Changes of the network", hasNetlink ? "netlink" : nil),
            ("Extended attributes here", hasAttributes(in: ".") ? "yes" : nil),
        ]
        return facts.map { Finding(section: .kernel, name: $0.0, value: $0.1) }
    }

    static var limits: [Finding] {
        let memory = Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE)))
        let (decoding, transfer) = (DecodeLimits.standard, TransferLimits.standard)
        let facts: [(String, String?)] = [
            ("Open files", limit(Int32(RLIMIT_NOFILE.rawValue)).map { "\($0)" } ?? "no limit"),
            ("Address space", limit(Int32(RLIMIT_AS.rawValue)).map(Format.bytes) ?? "no limit"),
            ("Memory of the machine", Format.bytes(memory)),
            ("Memory of the control group", controlGroupMemory.map(Format.bytes) ?? "no limit"),
            ("Pixels of an image", "\(decoding.pixelCount)"),
            ("Memory of an image", Format.bytes(decoding.memory)),
            ("Frames of an animation", "\(decoding.frameCount)"),
            ("Bytes of a transfer", Format.bytes(transfer.bodyBytes)),
        ]
        return facts.map { Finding(section: .limits, name: $0.0, value: $0.1) }
    }

    /// Returns a field of `utsname`, which Swift sees as a tuple.
    private static func text<Field>(_ field: inout Field) -> String {
        withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static var hasNetlink: Bool {
        let descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }

    /// Returns whether files of a folder may say where they came from.
    private static func hasAttributes(in folder: String) -> Bool {
        guard let (path, descriptor) = TemporaryOutput.create(in: folder) else { return false }
        defer {
            close(descriptor)
            unlink(path)
            TemporaryOutput.forget(path)
        }
        return (try? FileCalls.system.setAttribute(descriptor, FileOrigin.urlAttribute, "file:")) != nil
    }

    private static func limit(_ resource: Int32) -> Int? {
        var limit = rlimit()
        // The type of the first argument is an enumeration of glibc's.
        guard getrlimit(__rlimit_resource_t(UInt32(resource)), &limit) == 0, limit.rlim_cur <= UInt(Int.max) else {
            return nil
        }
        return Int(limit.rlim_cur)
    }

    /// The limit of the process's control group (version 2); `nil` for none.
    private static var controlGroupMemory: Int? {
        guard let events = MemoryPressureSources().eventsFile else { return nil }
        let text = KernelFile.text(events.parentFolder + "/memory.max")
        return text?.split(separator: "\n").first.flatMap { Int($0) }
    }
}

/// Files of the kernel, which say that they are empty.
enum KernelFile {
    /// Returns the text of a file; `nil` if it cannot be read.
    static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? nil : String(decoding: text, as: UTF8.self) }
            text += buffer[..<count]
        }
    }
}

/// Facts about the processes that decode images of servers and strangers.
enum IsolationFindings {
    static var all: [Finding] {
        let report: IsolationReport
        do {
            report = try HalcyonWorker.report()
        } catch {
            // Images are decoded in the program then.
            return [Finding(section: .isolation, name: "Decoders", value: "in this program: \(error)")]
        }
        let kinds: [(String, IsolationSet, String)] = [
            ("A process of its own", .process, "crashes, memory, time"), ("No files", .files, "Landlock"),
            ("No system calls but those of decoding", .systemCalls, "seccomp"),
        ]
        let facts = kinds.map { name, kind, means in
            Finding(section: .isolation, name: name, value: report.reached.contains(kind) ? "yes (\(means))" : nil)
        }
        let version = report.landlockVersion
        return facts + [Finding(section: .isolation, name: "Landlock", value: version > 0 ? "version \(version)" : nil)]
            + report.reasons.map { Finding(section: .isolation, name: "Not reached", value: $0) }
    }
}

/// Facts about the disk cache.
enum CacheFindings {
    static func all(of configuration: DiskCache.Configuration) async -> [Finding] {
        let folder = Finding(section: .cache, name: "Folder", value: configuration.folder)
        do {
            let statistics = try await ImageCache(disk: configuration).diskStatistics()
            var facts = [
                ("Entries", "\(statistics.count)"), ("Size", Format.bytes(statistics.bytes)),
                ("Limit", Format.bytes(statistics.sizeLimit)),
            ]
            var file = statvfs()
            if statvfs(configuration.folder, &file) == 0 {
                facts.append(("Free on this file system", Format.bytes(Int(file.f_bavail) * Int(file.f_frsize))))
            }
            return [folder] + facts.map { Finding(section: .cache, name: $0.0, value: $0.1) }
        } catch {
            return [folder, Finding(section: .cache, name: "State", value: "\(error)", isProblem: true)]
        }
    }
}

/// Facts about the terminal and the display.
enum DisplayFindings {
    static var all: [Finding] {
        let display = TerminalProbe.display()
        var facts: [(String, String?)] = []
        if display.isTerminal {
            facts = [
                ("Images in this terminal", display.graphics.rawValue),
                ("Terminal", "\(display.columns) × \(display.rows) characters of \(display.cell) pixels"),
                ("Colours of text", display.hasTrueColor ? "24 bits" : "256"),
                ("Background", display.background.map(hexadecimal)),
            ]
            if display.graphics == .sixel { facts.append(("Colours of sixel images", "\(display.colorRegisters)")) }
        } else {
            facts = [("Terminal", nil)]
        }
        for name in ["TERM", "DISPLAY", "WAYLAND_DISPLAY"] {
            facts.append((name, getenv(name).map { String(cString: $0) }))
        }
        return facts.map { Finding(section: .display, name: $0.0, value: $0.1) }
    }

    private static func hexadecimal(_ color: Color) -> String {
        "#"
            + [color.red, color.green, color.blue].map { channel in
                let digits = String(Int((min(1, max(0, channel)) * 255).rounded()), radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }
            .joined()
    }
}
