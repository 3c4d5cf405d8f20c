internal import Glibc

/// Writes a whole new file.
func writeFile(_ path: String, _ bytes: some Sequence<UInt8>) throws {
    let bytes = Array(bytes)
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    defer { if file >= 0 { close(file) } }
    guard file >= 0, bytes.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == bytes.count else {
        throw BenchmarkError("\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
}
