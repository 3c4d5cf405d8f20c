import FoundationEssentials
import Glibc
import HalcyonStore
import HalcyonSystem
import HalcyonTesting

@testable import HalcyonHTTP

/// A folder of its own for one test, removed with it.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/halcyon-http-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        chmod(path, 0o700)
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The files below the folder, relative to it.
    var files: [String] {
        ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).filter { name in
            (try? POSIXFileSystem().status(at: path + "/" + name).kind) == .file
        }.sorted()
    }

    /// The files below the folder that this process has open, or mapped, whether they still have a name or not.
    func openFiles() -> [String] {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.compactMap { number in
            var buffer = [CChar](repeating: 0, count: 4_096)
            let count = readlink("/proc/self/fd/\(number)", &buffer, buffer.count)
            guard count > 0 else { return nil }
            let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return target.hasPrefix(path + "/") ? target : nil
        }
    }
}

/// Bytes that do not repeat, so that no piece that is lost, repeated or moved goes unseen.
func pattern(_ count: Int, seed: UInt64 = 0) -> [UInt8] {
    var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
    }
}

extension BodyLoader {
    /// Loads with the priority of the request.
    func load(
        _ request: TransferRequest,
        accept: @escaping @Sendable (TransferResponse) throws -> Void = { _ in },
        review: (@Sendable (TransferResponse) async throws -> Void)? = nil,
        report: @escaping @Sendable (BodyProgress) -> Void = { _ in }
    ) async throws -> HTTPResponseBody {
        try await load(
            request,
            priority: PriorityBox(request.priority),
            accept: accept,
            review: review,
            report: report
        )
    }
}

/// Collects what a loader reports.
final class ProgressLog: Sendable {
    private let log = Lock<[BodyProgress]>([])

    var all: [BodyProgress] { log.withLock { $0 } }

    func add(_ progress: BodyProgress) {
        log.withLock { $0.append(progress) }
    }
}
