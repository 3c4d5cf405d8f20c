internal import ArgumentParser
internal import FoundationEssentials

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
    /// EX_NOINPUT of sysexits.h.
    static let exitCode = ExitCode(66)

    let path: String

    var description: String {
        "There is no \(path). Name the folder of the collections with --corpora or HALCYON_CORPORA."
    }
}
