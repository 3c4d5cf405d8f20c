internal import CIsolation
internal import Glibc
public import HalcyonCodecs
internal import Synchronization

/// The entry of a program into its other role, that of the process whose copies decode images.
///
/// ```swift
/// @main
/// struct Viewer {
///     static func main() {
///         ImageCodecs.register(.all)
///         HalcyonWorker.runIfAsked()
///         …
///     }
/// }
/// ```
///
/// The program is started anew with an argument of its own, becomes the origin of workers, and forks one when an image is to
/// be decoded (``DecodeIsolation``). Nothing that it does later is done by them. They end after 30 s without work.
public enum HalcyonWorker {
    /// The first argument of a program that is started for it.
    static let argument = "--halcyon-worker"
    /// The socket that the program passes on.
    private static let socket: Int32 = 3
    private static let isOffered = Atomic<Bool>(false)

    /// Whether this program, started anew, becomes a worker: ``runIfAsked(_:)`` has been called.
    static var isThisProgram: Bool { isOffered.load(ordering: .relaxed) }

    /// Serves as the origin of workers and does not return, if the program was started for that. Returns at once otherwise.
    ///
    /// It comes first in `main`, behind the registration of formats: what a program does before, all its workers do.
    ///
    /// - Parameter codecs: Those that the program decodes with. Default: ``ImageCodecs/standard``.
    public static func runIfAsked(codecs: ImageCodecs = .standard) {
        runIfAsked(DecodingService(codecs))
    }

    /// Starts a worker, unless one is idle, and returns the protection that it has on this machine.
    ///
    /// - Throws: ``IsolationError`` if none can be started.
    public static func report() throws -> IsolationReport {
        try WorkerPool.shared.report(for: .stills)
    }

    /// As ``runIfAsked(codecs:)``, with any service.
    package static func runIfAsked(_ service: some WorkerService) {
        guard CommandLine.arguments.dropFirst().first == argument else {
            isOffered.store(true, ordering: .relaxed)
            return
        }
        guard halcyon_is_record_socket(socket) else { _exit(EXIT_FAILURE) }
        // Once: the second time it has no more.
        if halcyon_limit_stack() { execv("/proc/self/exe", CommandLine.unsafeArgv) }
        Zygote(socket: RecordSocket(owning: socket), service: service).run()
    }

    /// The program that is started for workers: this one where it calls ``runIfAsked(_:)``, or `halcyon-decoder` beside it or in
    /// `../libexec/halcyon`. `nil` if there is none. Neither `PATH` nor a variable names it.
    static func program() -> String? {
        // Not the path: another version may have been installed there since the program started.
        if isThisProgram { return "/proc/self/exe" }
        return decoder()
    }

    private static func decoder() -> String? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0, let slash = buffer[..<count].lastIndex(of: CChar(UInt8(ascii: "/"))) else { return nil }
        let folder = String(decoding: buffer[..<slash].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return ["\(folder)/halcyon-decoder", "\(folder)/../libexec/halcyon/halcyon-decoder"]
            .first { access($0, X_OK) == 0 }
    }
}
