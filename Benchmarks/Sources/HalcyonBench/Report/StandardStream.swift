internal import Glibc

/// The program's outputs, unbuffered: a line is there when it is written, whatever becomes of the program.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    func writeLine(_ line: String) {
        var bytes = Array(line.utf8)[...]
        bytes.append(UInt8(ascii: "\n"))
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(rawValue, $0.baseAddress, $0.count) }
            if count <= 0 { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
