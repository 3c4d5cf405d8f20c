internal import FoundationEssentials
package import Halcyon
package import HalcyonFleet
package import ServerURLs

/// The settings of a server: from flags, the environment, and a JSON file, in this order of precedence.
/// `Documentation/Configuration.md` lists them.
///
/// Its description has no secrets: they are read from files or the environment, into types that do not show them.
package struct ServerSettings: Sendable {
    /// The address to listen on. Default: 127.0.0.1.
    package var host = "127.0.0.1"
    /// The port; 0: any free one. Default: 8080.
    package var port = 8_080

    /// The rules of the server's own URLs.
    package var urls: URLRules
    /// The rules of imgproxy's URLs; `nil`: they are not answered. Default: `nil`.
    package var imgproxy: URLRules?
    /// The rules of thumbor's URLs; `nil`: they are not answered. Default: `nil`.
    package var thumbor: URLRules?
    /// The dialect at the root of the path; the others have their names before. Default: ``Dialect/halcyon``.
    package var rootDialect = Dialect.halcyon

    /// The sources.
    package var sources = SourceRules()
    /// The folder of the disk cache; `nil`: that of the user's caches. Default: `nil`.
    package var cacheFolder: String?
    /// The bytes of the disk cache. Default: 10 GiB.
    package var cacheBytes = 10 << 30
    /// The bytes of encoded images in memory. Default: 256 MiB.
    package var memoryBytes = 256 << 20
    /// The engine that servers share; `nil`: none. Default: `nil`.
    package var engine: FleetEngine.Configuration?
    /// The secret of the servers that share an engine; `nil`: it follows from the oldest key of URLs. Default: `nil`.
    package var engineKey: Secret?

    /// The limits of a request.
    package var limits = RequestLimits()
    /// The formats that negotiation offers, by their file extensions, in the order of preference; those
    /// that cannot be made are left out. Default: avif, jxl, webp, jpeg, png.
    package var offers = ["avif", "jxl", "webp", "jpeg", "png"]
    /// Qualities by file extension. Default: those of the library.
    package var qualities: [String: Int] = [:]
    /// The widths that hints of clients choose among.
    package var widths = [160, 320, 480, 640, 768, 960, 1_280, 1_600, 1_920, 2_560, 3_840]
    /// The file of the watermark; `nil`: there is none. Default: `nil`.
    package var watermarkFile: String?
    /// The file of the image that takes the place of one that cannot be made; `nil`: errors are text. Default: `nil`.
    package var errorImageFile: String?
    /// Where images of other people are decoded. Default: in processes that crash alone and make no system calls but those of
    /// decoding; an error where those are not to be had.
    package var isolation = ServerSettings.standardIsolation
    package static let standardIsolation = DecodeIsolation.required([.process, .systemCalls])

    /// The lifetime in seconds where the source states none. Default: 86,400.
    package var defaultMaximumAge = 86_400
    /// The lifetime in seconds of the answer with a partial image. Default: 10.
    package var partialMaximumAge = 10
    /// The seconds for which caches may use a stale answer while they ask again, where the source states none.
    /// Default: 3,600.
    package var staleWhileRevalidate = 3_600
    /// The seconds for which caches may use a stale answer if the server fails, where the source states none.
    /// Default: 86,400.
    package var staleIfError = 86_400
    /// The origins whose scripts may read answers, for `Access-Control-Allow-Origin`; `nil`: none. Default: `nil`.
    package var allowedOrigin: String?

    /// The token that authorises purging; `nil`: nobody may. Default: `nil`.
    package var purgeToken: Secret?
    /// `true` if `/metrics` is answered. Default: `true`.
    package var servesMetrics = true
    /// `true` if `/` is a page to try images with. Default: `false`.
    package var servesPage = false
    /// The sources that the page signs URLs of.
    package var samples: [String] = []

    /// Variables of the environment with the server's prefix that are no settings.
    package var unknownVariables: [String] = []

    /// The defaults, which answer nothing, as there is no key.
    package init() {
        urls = URLRules { Int(Date().timeIntervalSince1970) }
    }

    /// A dialect of URLs.
    package enum Dialect: String, Sendable, CaseIterable {
        /// The server's own.
        case halcyon
        /// That of imgproxy.
        case imgproxy
        /// That of thumbor.
        case thumbor
    }

    /// A text that is shown nowhere.
    package struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        let text: String

        /// A secret.
        package init(_ text: String) {
            self.text = text
        }

        /// A row of dots.
        package var description: String { "•••" }
        /// A row of dots.
        package var debugDescription: String { description }
        /// A mirror without children.
        package var customMirror: Mirror { Mirror(self, children: []) }

        /// Returns whether both are the same. Takes the same time for each wrong text of the same length.
        func equals(_ other: some StringProtocol) -> Bool {
            let (left, right) = (Array(text.utf8), Array(other.utf8))
            guard left.count == right.count, !left.isEmpty else { return false }
            return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
        }
    }
}

/// The limits of a request.
package struct RequestLimits: Sendable {
    /// The bytes of a source. Default: 64 MiB.
    package var sourceBytes = 64 << 20
    /// The pixels of a frame of a source. Default: 50,000,000.
    package var sourcePixels = 50_000_000
    /// The frames of an animation. Default: 500.
    package var frames = 500
    /// The bytes of an answer. Default: 64 MiB.
    package var outputBytes = 64 << 20
    /// The pixels of a side of an answer. Default: 8,192.
    package var outputSide = 8_192
    /// The seconds that a request may take, the time in the queue included. Default: 30.
    package var seconds = 30
    /// The requests that are worked on at the same time. Default: four for each processor.
    package var concurrency = 0
    /// The requests that wait; others get a 429. Default: 256.
    package var queue = 256
    /// The seconds that a connection may be idle, or take to send a request. Default: 15.
    package var idleSeconds = 15
    /// The connections at the same time. Default: 2,048.
    package var connections = 2_048

    /// The defaults.
    package init() {}
}
