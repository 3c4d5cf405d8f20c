// swift-tools-version: 6.1
import PackageDescription

/// `HALCYON_STRICT=1` turns every warning of this package into an error; continuous integration sets it. It is an
/// environment variable because unsafe flags would keep other packages from depending on this one.
let isStrict = Context.environment["HALCYON_STRICT"] == "1"

/// `HALCYON_PTHREAD_LOCK=1` builds `Lock` on a pthread mutex, which ThreadSanitizer understands;
/// it reports `Synchronization.Mutex` falsely.
let usesPthreadLock = Context.environment["HALCYON_PTHREAD_LOCK"] == "1"

var swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]
var cSettings: [CSetting] = []
if isStrict {
    swiftSettings.append(.unsafeFlags(["-warnings-as-errors"]))
    cSettings.append(.unsafeFlags(["-Wall", "-Wextra", "-Werror"]))
}
if usesPthreadLock {
    swiftSettings.append(.define("HALCYON_PTHREAD_LOCK"))
}

/// `HALCYON_WITHOUT=HalcyonGTK,HalcyonSVG` leaves these targets out of a checkout's build, and with them every product and
/// every target that depends on one, such as its tests: `swift build` builds all that there are, with the libraries of all.
let leftOut = Set((Context.environment["HALCYON_WITHOUT"] ?? "").split(separator: ",").map(String.init))

/// Connects Halcyon with the packages for logs, metrics and traces. The one trait: SwiftPM resolves the packages of all products
/// for everyone who depends on one. `HALCYON_OBSERVABILITY=1` turns it on in a checkout, for its tests.
let observability = "Observability"
let defaultTraits = Context.environment["HALCYON_OBSERVABILITY"] == "1" ? [observability] : []

let package = Package(
    name: "halcyon",
    products: [
        .library(name: "Halcyon", targets: ["Halcyon"]),
        .library(name: "HalcyonRaster", targets: ["HalcyonRaster"]),
        .library(name: "HalcyonCodecs", targets: ["HalcyonCodecs"]),
        .library(name: "HalcyonHEIC", targets: ["HalcyonHEIC"]),
        .library(name: "HalcyonJPEGXL", targets: ["HalcyonJPEGXL"]),
        .library(name: "HalcyonTIFF", targets: ["HalcyonTIFF"]),
        .library(name: "HalcyonSVG", targets: ["HalcyonSVG"]),
        .library(name: "HalcyonVideo", targets: ["HalcyonVideo"]),
        .library(name: "HalcyonFormats", targets: ["HalcyonFormats"]),
        .library(name: "HalcyonIsolation", targets: ["HalcyonIsolation"]),
        .library(name: "HalcyonStore", targets: ["HalcyonStore"]),
        .library(name: "HalcyonHTTP", targets: ["HalcyonHTTP"]),
        .library(name: "HalcyonFleet", targets: ["HalcyonFleet"]),
        .library(name: "HalcyonObservability", targets: ["HalcyonObservability"]),
        .library(name: "HalcyonGTK", targets: ["HalcyonGTK"]),
        .library(name: "HalcyonTesting", targets: ["HalcyonTesting"]),
        .executable(name: "halcyon-decoder", targets: ["HalcyonDecoder"]),
    ],
    traits: [
        .trait(
            name: observability,
            description: "Logs, metrics and traces (swift-log, swift-metrics, swift-distributed-tracing)."
        ),
        .default(enabledTraits: Set(defaultTraits)),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
    ],
    targets: [
        // MARK: System libraries
        // Without pkg-config, whose files SwiftPM reads for everyone who depends on this package, with a warning for each that is
        // missing. The headers of GTK alone lie elsewhere than in /usr/include.
        .systemLibrary(name: "CDeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(
            name: "CGTK",
            pkgConfig: "\(Context.packageDirectory)/Sources/C/CGTK/gtk4.pc",
            providers: [.apt(["libgtk-4-dev"])]
        ),
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(name: "CIDN2", providers: [.apt(["libidn2-dev"])]),
        .systemLibrary(name: "CLCMS", providers: [.apt(["liblcms2-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CWebP", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(name: "CXXHash", providers: [.apt(["libxxhash-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),

        // MARK: C that Swift cannot express
        // libhiredis_ssl is loaded on first use, not linked.
        .target(name: "CHiredisShim", dependencies: ["CHiredis", "CLibraryLoading"], cSettings: cSettings),
        .target(name: "CIsolation", cSettings: cSettings),
        .target(name: "CJPEGKernels", dependencies: ["CRasterKernels"], cSettings: cSettings),
        .target(name: "CJPEGShim", cSettings: cSettings, linkerSettings: [.linkedLibrary("jpeg")]),
        .target(name: "CPNGKernels", dependencies: ["CRasterKernels"], cSettings: cSettings),
        .target(name: "CProcessor", cSettings: cSettings),
        .target(name: "CRasterKernels", cSettings: cSettings),
        .target(name: "CTIFFShim", cSettings: cSettings, linkerSettings: [.linkedLibrary("tiff")]),
        .target(name: "CLibraryLoading", cSettings: cSettings),
        // Their libraries, of which each brings others, are loaded on first use, not linked: libavif, libcurl, libheif, libjxl,
        // librsvg, and FFmpeg's.
        .target(name: "CAVIFShim", dependencies: ["CLibraryLoading"], cSettings: cSettings),
        .target(name: "CCurlShim", dependencies: ["CLibraryLoading"], cSettings: cSettings),
        .target(name: "CHEIFShim", dependencies: ["CLibraryLoading"], cSettings: cSettings),
        .target(name: "CJPEGXLShim", dependencies: ["CLibraryLoading"], cSettings: cSettings),
        .target(name: "CSVGShim", dependencies: ["CLibraryLoading"], cSettings: cSettings),
        .target(name: "CVideoShim", dependencies: ["CLibraryLoading"], cSettings: cSettings),

        // MARK: Modules
        .target(name: "HalcyonSystem", dependencies: ["CIDN2", "CXXHash"], swiftSettings: swiftSettings),
        .target(
            name: "HalcyonRaster",
            dependencies: ["CRasterKernels", "HalcyonSystem"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonCodecs",
            dependencies: [
                "HalcyonSystem", "HalcyonRaster",
                "CJPEGKernels", "CJPEGShim", "CPNGKernels", "CAVIFShim", "CDeflate", "CLCMS", "CWebP", "CZlib",
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonHEIC",
            dependencies: [
                "HalcyonSystem", "HalcyonRaster", "HalcyonCodecs", "CHEIFShim",
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonJPEGXL",
            dependencies: [
                "HalcyonSystem", "HalcyonRaster", "HalcyonCodecs", "CJPEGXLShim",
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonTIFF",
            dependencies: ["HalcyonSystem", "HalcyonRaster", "HalcyonCodecs", "CTIFFShim"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonSVG",
            dependencies: ["HalcyonSystem", "HalcyonRaster", "HalcyonCodecs", "CSVGShim"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonVideo",
            dependencies: ["HalcyonSystem", "HalcyonRaster", "HalcyonCodecs", "CVideoShim"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonFormats",
            dependencies: [
                "HalcyonCodecs", "HalcyonHEIC", "HalcyonJPEGXL", "HalcyonTIFF", "HalcyonSVG", "HalcyonVideo",
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonIsolation",
            dependencies: ["CIsolation", "HalcyonSystem", "HalcyonRaster", "HalcyonCodecs"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonStore",
            dependencies: ["HalcyonSystem", "CProcessor", "CSQLite"],
            exclude: ["DiskCache/FORMAT.md"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonHTTP",
            dependencies: [
                "HalcyonSystem", "CCurlShim", "CZlib",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            exclude: ["Resuming/FORMAT.md"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "Halcyon",
            dependencies: [
                "HalcyonSystem", "HalcyonRaster", "HalcyonCodecs", "HalcyonIsolation", "HalcyonStore",
                "HalcyonHTTP",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonFleet",
            dependencies: ["HalcyonSystem", "HalcyonStore", "HalcyonHTTP", "Halcyon", "CHiredis", "CHiredisShim"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonObservability",
            dependencies: [
                "Halcyon", "HalcyonSystem",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Observability"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Observability"])),
                .product(
                    name: "Tracing",
                    package: "swift-distributed-tracing",
                    condition: .when(traits: ["Observability"])
                ),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonGTK",
            dependencies: [
                "Halcyon", "HalcyonSystem", "CGTK",
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonTesting",
            dependencies: [
                "HalcyonSystem", "HalcyonStore", "HalcyonHTTP",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "HalcyonCommand",
            dependencies: [
                "HalcyonFormats",
                "Halcyon", "HalcyonFleet",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swiftSettings
        ),

        // `halcyon-decoder`, which lies beside programs.
        .executableTarget(
            name: "HalcyonDecoder",
            dependencies: ["HalcyonFormats", "HalcyonIsolation"],
            swiftSettings: swiftSettings
        ),

        .executableTarget(
            name: "HalcyonGallery",
            dependencies: [
                "HalcyonFormats",
                "Halcyon", "HalcyonSystem", "HalcyonGTK",
                "CGTK",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Resources"],
            swiftSettings: swiftSettings
        ),

        .executableTarget(
            name: "HalcyonConformance",
            dependencies: [
                "HalcyonFormats",
                "Halcyon", "HalcyonSystem", "HalcyonRaster", "HalcyonCodecs", "HalcyonIsolation", "HalcyonHTTP",
                "HalcyonTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings
        ),

        .executableTarget(
            name: "HalcyonSamples",
            dependencies: ["HalcyonRaster", "HalcyonCodecs", "HalcyonTesting"],
            swiftSettings: swiftSettings
        ),

        // Started by `Scripts/search`.
        .executableTarget(
            name: "HalcyonSearch",
            dependencies: [
                "Halcyon", "HalcyonIsolation", "HalcyonSystem", "HalcyonTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings
        ),

        // MARK: Tests
        .testTarget(
            name: "HalcyonSystemTests",
            dependencies: ["HalcyonSystem", "HalcyonTesting"],
            swiftSettings: swiftSettings
        ),
        .testTarget(name: "HalcyonRasterTests", dependencies: ["HalcyonRaster"], swiftSettings: swiftSettings),
        .testTarget(
            name: "HalcyonCodecsTests",
            dependencies: [
                "HalcyonFormats", "HalcyonCodecs", "HalcyonHEIC", "HalcyonJPEGXL", "HalcyonTIFF", "HalcyonSVG",
                "HalcyonVideo", "HalcyonTesting",
            ],
            swiftSettings: swiftSettings
        ),
        // Started as a worker by the tests of isolation.
        .executableTarget(
            name: "IsolationTrial",
            dependencies: ["CIsolation", "HalcyonCodecs", "HalcyonIsolation"],
            path: "Tests/IsolationTrial",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonIsolationTests",
            dependencies: [
                "HalcyonFormats",
                "CIsolation", "HalcyonSystem", "HalcyonRaster", "HalcyonCodecs", "HalcyonIsolation", "HalcyonDecoder",
                "IsolationTrial",
            ],
            swiftSettings: swiftSettings
        ),
        // Started and killed by a test of the store.
        .executableTarget(
            name: "StoreCrashTrial",
            dependencies: ["HalcyonStore"],
            path: "Tests/StoreCrashTrial",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonStoreTests",
            dependencies: ["HalcyonSystem", "HalcyonStore", "HalcyonTesting", "StoreCrashTrial"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonHTTPTests",
            dependencies: ["Halcyon", "HalcyonHTTP", "HalcyonTesting"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonTests",
            dependencies: ["HalcyonFormats", "Halcyon", "HalcyonTesting"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonFleetTests",
            dependencies: ["Halcyon", "HalcyonFleet", "HalcyonStore", "HalcyonSystem", "HalcyonTesting"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonObservabilityTests",
            dependencies: [
                "Halcyon", "HalcyonSystem", "HalcyonObservability", "HalcyonTesting",
                .product(name: "InMemoryLogging", package: "swift-log", condition: .when(traits: ["Observability"])),
                .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Observability"])),
                .product(
                    name: "InMemoryTracing",
                    package: "swift-distributed-tracing",
                    condition: .when(traits: ["Observability"])
                ),
            ],
            swiftSettings: swiftSettings
        ),
        // Started by a test of views.
        .executableTarget(
            name: "MainLoopTrial",
            dependencies: ["HalcyonGTK", "CGTK"],
            path: "Tests/MainLoopTrial",
            swiftSettings: swiftSettings
        ),
        // XCTest, because GTK needs the first thread of the process, where Swift Testing runs no main actor.
        .testTarget(
            name: "HalcyonGTKTests",
            dependencies: [
                "HalcyonFormats",
                "Halcyon", "HalcyonGTK", "HalcyonGallery", "HalcyonTesting", "MainLoopTrial",
                "CGTK",
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonCommandTests",
            dependencies: [
                "HalcyonFormats",
                "Halcyon", "HalcyonFleet", "HalcyonCommand", "HalcyonSystem", "HalcyonTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            exclude: ["Setup/commands"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonConformanceTests",
            dependencies: [
                "HalcyonFormats", "HalcyonConformance", "HalcyonRaster", "HalcyonCodecs", "HalcyonIsolation",
                "HalcyonDecoder", "HalcyonHTTP", "HalcyonTesting",
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonSearchTests",
            dependencies: ["HalcyonSearch", "Halcyon", "HalcyonTesting"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonSamplesTests",
            dependencies: ["HalcyonSamples", "HalcyonCodecs"],
            swiftSettings: swiftSettings
        ),
    ]
)

for target in package.targets where target.name.hasPrefix("C") {
    target.path = "Sources/C/\(target.name)"
}

// Leaves out what was named, and everything that depends on it.
var removed = leftOut
while let target = package.targets.first(where: { !removed.contains($0.name) && $0.depends(on: removed) }) {
    removed.insert(target.name)
}
package.targets.removeAll { removed.contains($0.name) }
package.products.removeAll { product in
    let targets = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
    return !removed.isDisjoint(with: targets)
}
// A checkout builds all targets, so those of C go that nothing needs any more.
while let index = package.targets.firstIndex(where: { target in
    target.name.hasPrefix("C") && !package.targets.contains { $0.depends(on: [target.name]) }
}) {
    package.targets.remove(at: index)
}

extension Target {
    func depends(on names: Set<String>) -> Bool {
        dependencies.contains { dependency in
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): names.contains(name)
            default: false
            }
        }
    }
}
