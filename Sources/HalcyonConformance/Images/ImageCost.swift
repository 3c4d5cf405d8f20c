internal import FoundationEssentials
internal import Glibc

/// The cost of reading a file.
struct ImageCost: Sendable {
    /// The lesser of the wall clock's and the processors' time: a busy machine lengthens the one, several threads the
    /// other.
    let seconds: Double
    /// Memory in use at the peak, beyond that before, bytes.
    let memory: Int

    /// Beyond the limit: the file itself, tables of a library, pages that are kept.
    private static let memoryTolerance = 96 << 20

    static func measuring<Value>(_ body: () throws -> Value) rethrows -> (value: Value, cost: ImageCost) {
        // "5" sets the peak back (proc(5), since Linux 4.0); without it the peak is that of the process so far.
        if let file = fopen("/proc/self/clear_refs", "w") {
            fputs("5", file)
            fclose(file)
        }
        let memory = residentByteCount("VmRSS:")
        let (wall, processor) = (seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID))
        let value = try body()
        let cost = ImageCost(
            seconds: min(seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - processor),
            memory: residentByteCount("VmHWM:") - memory
        )
        return (value, cost)
    }

    /// - Parameter memory: The bytes that the limits allow.
    func check(memory limit: Int) throws(ImageMismatch) {
        guard seconds <= ImageCheck.greatestSeconds else {
            throw ImageMismatch("took \(seconds.text(1)) s, more than \(ImageCheck.greatestSeconds)")
        }
        guard memory <= limit + Self.memoryTolerance else {
            throw ImageMismatch("took \(memory >> 20) MiB of memory, more than the \(limit >> 20) allowed")
        }
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func residentByteCount(_ field: String) -> Int {
        // Without a size that the file system knows, the file must be read to its end.
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard text.hasPrefix(field) else { continue }
            return (Int(text.dropFirst(field.count).filter(\.isNumber)) ?? 0) << 10
        }
        return 0
    }
}
