internal import Glibc

/// The memory of this process that is in use, bytes (proc(5)).
enum ResidentMemory {
    /// Now.
    static var current: Int { read("VmRSS:") }

    /// At its greatest, since the start or ``resetPeak()``.
    static var peak: Int { read("VmHWM:") }

    /// Lets the peak begin with what is in use now.
    static func resetPeak() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    private static func read(_ field: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if text.hasPrefix(field) {
                return (Int(text.dropFirst(field.count).filter(\.isNumber)) ?? 0) << 10
            }
        }
        return 0
    }
}
