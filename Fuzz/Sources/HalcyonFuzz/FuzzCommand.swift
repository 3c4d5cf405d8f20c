internal import CFuzzer
import FoundationEssentials
import HalcyonCodecs
import HalcyonFormats

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Runs the target that the environment variable `HALCYON_FUZZ_TARGET` names; arguments are those of libFuzzer.
///
/// With `HALCYON_FUZZ_SEEDS` it only writes the project's own inputs into that folder.
@main
enum FuzzCommand {
    private static let environment = ProcessInfo.processInfo.environment

    /// Read once, when the first input comes.
    private static let target = FuzzTarget(name: environment["HALCYON_FUZZ_TARGET"] ?? "")

    static func main() throws {
        ImageCodecs.register(.all)
        if let folder = environment["HALCYON_FUZZ_SEEDS"] {
            return try FuzzSeeds.write(to: folder)
        }
        guard target != nil else {
            print("HALCYON_FUZZ_TARGET: there is no such target in this build")
            exit(3)
        }
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&count, &arguments, test))
    }

    /// Called by libFuzzer for every input.
    private static let test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt = { bytes, count in
        // A copy of exactly this many bytes, so that AddressSanitizer sees every access beyond them.
        target?.run(bytes.map { Data(bytes: $0, count: count) } ?? Data())
        return 0
    }
}
