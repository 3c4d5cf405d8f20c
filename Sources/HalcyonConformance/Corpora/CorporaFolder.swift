internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc

/// The folder with the public test collections.
struct CorporaFolder: Sendable {
    let path: String

    /// The folder given, else that of `HALCYON_CORPORA`, else `../shared/corpora` beside the working directory.
    init(_ given: String? = nil) {
        let environment = ProcessInfo.processInfo.environment["HALCYON_CORPORA"]
        path = given ?? environment ?? FileManager.default.currentDirectoryPath + "/../shared/corpora"
    }

    /// A file in it.
    ///
    /// - Throws: ``MissingCorpus`` if it is not there.
    func data(_ file: String) throws -> Data {
        guard let data = FileManager.default.contents(atPath: path + "/" + file) else {
            throw MissingCorpus(path: path + "/" + file)
        }
        return data
    }
}

/// A collection that is not there, which is no verdict about the library.
struct MissingCorpus: Error, CustomStringConvertible {
    /// Writes an error to the standard error, and returns EX_NOINPUT of sysexits.h.
    static func exitCode(reporting error: any Error) -> ExitCode {
        var message = "HalcyonConformance: \(error)\n"
        _ = message.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        return ExitCode(66)
    }

    let path: String

    var description: String {
        "There is no \(path). Name the folder of the collections with --corpora or HALCYON_CORPORA."
    }
}
