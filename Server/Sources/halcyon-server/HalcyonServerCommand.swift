import FoundationEssentials
import Halcyon
import HalcyonHEIC
import HalcyonJPEGXL
import HalcyonServer
import HalcyonTIFF
import Logging
import ServerURLs

/// `halcyon-server`: see ``usage``.
@main
struct HalcyonServerCommand {
    private static let usage = """
        halcyon-server [--NAME VALUE…]             serves images until it is told to end (SIGTERM, SIGINT)
        halcyon-server sign [--key-file FILE] [--config FILE] OPTION… SOURCE
                                                   prints the path of a URL, signed by the newest key, unless the server would
                                                   refuse it
        halcyon-server demo FOLDER [--NAME VALUE…] draws a sample image into FOLDER, and serves it with a key of this run and a
                                                   page to try it with
        halcyon-server --help

        Settings are flags, variables of the environment (HALCYON_PORT for --port) and entries of a JSON file (--config FILE), in this order.
        Keys come from files or from the environment alone. The names:


        """

    static func main() async {
        ImageCodecs.register(.heic, .jpegXL, .tiff)
        HalcyonWorker.runIfAsked()
        var arguments = Array(CommandLine.arguments.dropFirst())
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = ProcessEnvironment.variables["LOG_LEVEL"].flatMap { Logger.Level(rawValue: $0) } ?? .info
            return handler
        }
        do {
            switch arguments.first {
            case "--help", "-h":
                print(usage + ServerSettings.names.sorted().map { "  --\($0)" }.joined(separator: "\n"))
            case "sign":
                arguments.removeFirst()
                print(try ServerSettings.signedPath(arguments, environment: ProcessEnvironment.variables))
            case "demo":
                arguments.removeFirst()
                try await demo(arguments)
            default:
                let settings = try ServerSettings(arguments: arguments, environment: ProcessEnvironment.variables)
                try await ImageServer(settings).run()
            }
        } catch {
            ProcessEnvironment.fail("halcyon-server: \(error)")
        }
    }

    private static func demo(_ arguments: [String]) async throws {
        guard let folder = arguments.first, !folder.hasPrefix("--") else {
            throw SettingsError("A folder is missing: halcyon-server demo FOLDER")
        }
        do {
            try SampleImage.write(to: folder + "/sample.jpg")
        } catch {
            throw SettingsError("The sample image cannot be written into \(folder): \(SettingsError.reason(error))")
        }
        var settings = try ServerSettings(
            arguments: Array(arguments.dropFirst()) + ["--local-root", folder, "--allow-unsigned", "false"],
            environment: ProcessEnvironment.variables,
            needsKey: false
        )
        settings.urls.keys = .random()
        settings.samples = ["local:///sample.jpg"]
        settings.servesPage = true
        let sample = try HalcyonURL(options: ["w:400"], source: settings.samples[0]).path(
            signedBy: settings.urls.keys
        )
        let host = settings.host
        try await ImageServer(settings).run { port in
            ProcessEnvironment.show(
                """

                An image of 400 pixels across:  http://\(host):\(port)\(sample)
                A page to try others with:      http://\(host):\(port)/

                Press Control-C to end.
                """
            )
        }
    }
}
