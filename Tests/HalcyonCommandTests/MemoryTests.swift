import Dispatch
import FoundationEssentials
import Glibc
import Halcyon
import HalcyonTesting
import Testing

/// Whether this is a build with a sanitizer.
private let isInstrumented = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

@Suite("The memory of a run", .disabled(if: isInstrumented, "a sanitizer needs memory of its own"))
struct MemoryTests {
    @Test("does not grow with the number of images, a contact sheet included", arguments: [[], ["--no-cache"]])
    func peak(options: [String]) async throws {
        let photo = try photo()
        let few = try await peakMemory(imageCount: 40, photo, options)
        let many = try await peakMemory(imageCount: 160, photo, options)
        // 120 images have 173 MB of pixels.
        #expect(many - few < 32 << 20, "\(few >> 20) MiB for 40, \(many >> 20) MiB for 160")
        #expect(many < 150 << 20, "\(many >> 20) MiB")
    }

    /// The greatest memory of the command until it has loaded everything and drawn the sheet, bytes.
    private func peakMemory(imageCount: Int, _ photo: [UInt8], _ options: [String]) async throws -> Int {
        let work = try Workplace()
        let server = try OriginServer { _ in .init(body: photo) }
        defer { server.stop() }
        let sheet = work.path("sheet.png")
        try #require(mkfifo(sheet, 0o600) == 0)
        let reader = open(sheet, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        let urls = (0..<imageCount).map { server.url("/\($0).jpg").absoluteString }
        let running = try work.start(["get", "--json", "-o", "out/", "--sheet", sheet] + options + urls)
        // The sheet is more than the pipe takes: the command waits, and its peak can be asked for.
        try #require(await isReadable(reader))
        let peak = try #require(try peakMemory(of: running.process.id))
        #expect(await bytesToEnd(reader).prefix(4) == [0x89, 0x50, 0x4E, 0x47])
        let outcome = try await running.outcome
        #expect(outcome.exitCode == 0, "\(outcome.error)")
        #expect(try outcome.results.count == imageCount)
        return peak
    }

    /// Waits until there is something to read, no longer than the command may take.
    private func isReadable(_ descriptor: Int32) async -> Bool {
        await onThread {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&wait, 1, 60_000) == 1
        }
    }

    private func bytesToEnd(_ descriptor: Int32) async -> [UInt8] {
        await onThread {
            _ = fcntl(descriptor, F_SETFL, 0)
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
            return bytes
        }
    }

    /// Runs what blocks; it must not take a thread of Swift's own pool.
    private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "halcyon.tests.memory").async { continuation.resume(returning: body()) }
        }
    }

    private func peakMemory(of process: pid_t) throws -> Int? {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 << 10 }
    }

    /// Noise, which no format makes small, so that the sheet does not fit a pipe: 1.4 MB of pixels.
    private func photo() throws -> [UInt8] {
        var random = SeededGenerator(seed: 1)
        var bitmap = try Bitmap(size: PixelSize(600, 600))
        bitmap.withUnsafeMutableBytes { pixels in
            for index in pixels.indices {
                pixels[index] = index % 4 == 3 ? 255 : UInt8.random(in: 64...191, using: &random)
            }
        }
        bitmap.isOpaque = true
        return [UInt8](try ImageCodecs.standard.encode(bitmap, as: .jpeg))
    }
}
