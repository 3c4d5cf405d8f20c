internal import Glibc

/// The processes that this one has started, and those that these have started.
enum Descendants {
    /// The processor time that this process and those that run below it have taken so far, in nanoseconds.
    static var processorTime: Double {
        TimeSample.now.processor + processes.reduce(0) { $0 + processorTime(of: $1) }
    }

    /// The memory of this process and of those that run below it, in bytes; what several share counts in parts
    /// (proc_pid_smaps(5), Pss).
    static var proportionalMemory: Int {
        ([getpid()] + processes).reduce(0) { $0 + proportionalMemory(of: $1) }
    }

    private static var processes: [pid_t] {
        var found: [pid_t] = []
        var parents = [getpid()]
        while let parent = parents.popLast() {
            let children = children(of: parent)
            found += children
            parents += children
        }
        return found
    }

    private static func children(of process: pid_t) -> [pid_t] {
        guard let folder = opendir("/proc/\(process)/task") else { return [] }
        defer { closedir(folder) }
        var children: [pid_t] = []
        while let entry = readdir(folder) {
            let thread = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { Int(String(cString: $0)) }
            }
            guard let thread else { continue }
            let line = lines("/proc/\(process)/task/\(thread)/children").first ?? ""
            children += line.split(separator: " ").compactMap { pid_t($0) }
        }
        return children
    }

    private static func processorTime(of process: pid_t) -> Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    private static func proportionalMemory(of process: pid_t) -> Int {
        let line = lines("/proc/\(process)/smaps_rollup").first { $0.hasPrefix("Pss:") }
        return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) << 10
    }

    private static func lines(_ path: String) -> [String] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var lines: [String] = []
        var line = [CChar](repeating: 0, count: 4_096)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = line.prefix { $0 != 0 && $0 != 10 }
            lines.append(String(decoding: text.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        return lines
    }
}
