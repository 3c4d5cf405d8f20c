import FoundationEssentials
import Glibc
import HalcyonTesting

extension Gallery {
    /// Serves the files of a folder at `http://127.0.0.1:PORT/NAME` until a signal ends the process.
    ///
    /// - Parameter portFile: where the port is written, whole or not at all, as soon as the server answers.
    static func serve(_ folder: URL, portFile: URL?) throws {
        let server = try OriginServer(handler: OriginServer.files(in: folder.path))
        if let portFile {
            try Data("\(server.port)\n".utf8).write(to: portFile, options: .atomic)
        } else {
            print(server.url())
        }
        withExtendedLifetime(server) {
            while true { pause() }
        }
    }
}
