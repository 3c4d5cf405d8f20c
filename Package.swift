// swift-tools-version: 6.1
import Foundation
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

/// Formats whose libraries are large: each is a trait, so that a program installs the libraries of what it uses.
///
/// A package that depends on Halcyon names the traits it wants; none is on by default. `HALCYON_TRAITS` names others (`HEIC,SVG`,
/// `all`, or nothing for none), for every command that builds: `./test` and the scripts set it to `all`. Where it is not set,
/// all are on in a checkout on a machine that has the libraries of all: SwiftPM does not tell a manifest whether its package is
/// the root, and what depends on a checkout by its path must build without them.
let formatTraits: Set<Trait> = [
    .trait(name: "HEIC", description: "Reads HEIC (libheif)."),
    .trait(name: "JPEGXL", description: "Reads and writes JPEG XL (libjxl)."),
    .trait(name: "TIFF", description: "Reads and writes TIFF (libtiff)."),
    .trait(name: "SVG", description: "Draws SVG (librsvg)."),
    .trait(name: "Video", description: "Reads frames of videos (FFmpeg's libraries)."),
]
/// What connects Halcyon with other packages, which a program then needs: each is a trait as well.
let integrationTraits: Set<Trait> = [
    .trait(
        name: "Observability",
        description: "Logs, metrics and traces (swift-log, swift-metrics, swift-distributed-tracing)."
    )
]
/// What shows images in windows: a trait, because the toolkit is large.
let viewTraits: Set<Trait> = [
    .trait(name: "GTK", description: "Shows images in widgets of GTK 4 (HalcyonGTK).")
]
let allTraits = formatTraits.union(integrationTraits).union(viewTraits)
/// A header of the library of each trait that is built with one.
let headersOfTraits = [
    "libheif/heif.h", "jxl/decode.h", "tiffio.h", "libavcodec/avcodec.h", "gtk-4.0/gtk/gtk.h",
]
let headerFolders =
    ["/usr/include", "/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu"]
    + (Context.environment["CPATH"] ?? "").split(separator: ":").map(String.init)
let hasAllLibraries = headersOfTraits.allSatisfy { header in
    headerFolders.contains { FileManager.default.fileExists(atPath: "\($0)/\(header)") }
}
let standardTraits = hasAllLibraries && !Context.packageDirectory.contains("/checkouts/") ? "all" : ""
let chosenTraits = Set((Context.environment["HALCYON_TRAITS"] ?? standardTraits).split(separator: ",").map(String.init))
let defaultTraits = allTraits.map(\.name).filter { chosenTraits.contains($0) || chosenTraits == ["all"] }

let package = Package(
    name: "halcyon",
    products: [
        .library(name: "Halcyon", targets: ["Halcyon"]),
        .library(name: "HalcyonRaster", targets: ["HalcyonRaster"]),
        .library(name: "HalcyonCodecs", targets: ["HalcyonCodecs"]),
        .library(name: "HalcyonStore", targets: ["HalcyonStore"]),
        .library(name: "HalcyonHTTP", targets: ["HalcyonHTTP"]),
        .library(name: "HalcyonObservability", targets: ["HalcyonObservability"]),
        .library(name: "HalcyonGTK", targets: ["HalcyonGTK"]),
        .library(name: "HalcyonTesting", targets: ["HalcyonTesting"]),
        .executable(name: "halcyon", targets: ["HalcyonCommand"]),
        .executable(name: "halcyon-gallery", targets: ["HalcyonGallery"]),
    ],
    traits: allTraits.union([.default(enabledTraits: Set(defaultTraits))]),
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
    ],
    targets: [
        // MARK: System libraries
        .systemLibrary(name: "CAVIF", pkgConfig: "libavif", providers: [.apt(["libavif-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        .systemLibrary(name: "CHEIF", pkgConfig: "libheif", providers: [.apt(["libheif-dev"])]),
        .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
        .systemLibrary(name: "CJPEGXL", pkgConfig: "libjxl", providers: [.apt(["libjxl-dev"])]),
        .systemLibrary(name: "CLCMS", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
        .systemLibrary(name: "CLibJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg62-turbo-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CTIFF", pkgConfig: "libtiff-4", providers: [.apt(["libtiff-dev"])]),
        .systemLibrary(name: "CWebP", pkgConfig: "libwebpmux", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // MARK: C that Swift cannot express
        .target(name: "CAVIFShim", dependencies: ["CAVIF"], cSettings: cSettings),
        .target(name: "CCurlShim", dependencies: ["CCurl"], cSettings: cSettings),
        .target(name: "CHEIFShim", dependencies: ["CHEIF"], cSettings: cSettings),
        .target(name: "CJPEGKernels", dependencies: ["CRasterKernels"], cSettings: cSettings),
        .target(name: "CJPEGShim", dependencies: ["CLibJPEG"], cSettings: cSettings),
        .target(name: "CJPEGXLShim", dependencies: ["CJPEGXL"], cSettings: cSettings),
        .target(name: "CPNGKernels", dependencies: ["CRasterKernels"], cSettings: cSettings),
        .target(name: "CProcessor", cSettings: cSettings),
        .target(name: "CRasterKernels", cSettings: cSettings),
        .target(name: "CTIFFShim", dependencies: ["CTIFF"], cSettings: cSettings),
        // No system library targets: with the flags of pkg-config every program would be linked with librsvg and with
        // FFmpeg's libraries, which are loaded on first use instead.
        .target(name: "CSVGShim", cSettings: cSettings),
        .target(name: "CVideoShim", cSettings: cSettings),

        // MARK: Modules
        .target(name: "HalcyonConcurrency", swiftSettings: swiftSettings),
        .target(
            name: "HalcyonFiles",
            dependencies: ["HalcyonConcurrency", "CIDN2", "CXXHash"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonRaster",
            dependencies: ["CRasterKernels", "HalcyonConcurrency"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonCodecs",
            dependencies: [
                "HalcyonConcurrency", "HalcyonFiles", "HalcyonRaster",
                "CJPEGKernels", "CJPEGShim", "CPNGKernels", "CAVIF", "CAVIFShim", "CDeflate", "CLCMS", "CWebP", "CZlib",
                .target(name: "CHEIF", condition: .when(traits: ["HEIC"])),
                .target(name: "CHEIFShim", condition: .when(traits: ["HEIC"])),
                .target(name: "CJPEGXL", condition: .when(traits: ["JPEGXL"])),
                .target(name: "CJPEGXLShim", condition: .when(traits: ["JPEGXL"])),
                .target(name: "CTIFFShim", condition: .when(traits: ["TIFF"])),
                .target(name: "CSVGShim", condition: .when(traits: ["SVG"])),
                .target(name: "CVideoShim", condition: .when(traits: ["Video"])),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonStore",
            dependencies: ["HalcyonConcurrency", "HalcyonFiles", "CProcessor", "CSQLite"],
            exclude: ["DiskCache/FORMAT.md"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonHTTP",
            dependencies: [
                "HalcyonConcurrency", "HalcyonFiles", "CCurl", "CCurlShim", "CZlib",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            exclude: ["Resuming/FORMAT.md"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "Halcyon",
            dependencies: [
                "HalcyonConcurrency", "HalcyonFiles", "HalcyonRaster", "HalcyonCodecs", "HalcyonStore",
                "HalcyonHTTP",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonObservability",
            dependencies: [
                "Halcyon", "HalcyonConcurrency",
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
                "Halcyon", "HalcyonConcurrency", .target(name: "CGTK", condition: .when(traits: ["GTK"])),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonTesting",
            dependencies: [
                "HalcyonConcurrency", "HalcyonFiles", "HalcyonStore", "HalcyonHTTP",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "HalcyonCommand",
            dependencies: [
                "Halcyon",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swiftSettings
        ),

        // Without the trait GTK it builds as well, and then says what it lacks.
        .executableTarget(
            name: "HalcyonGallery",
            dependencies: [
                "Halcyon", "HalcyonConcurrency", "HalcyonGTK",
                .target(name: "CGTK", condition: .when(traits: ["GTK"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Resources"],
            swiftSettings: swiftSettings
        ),

        .executableTarget(
            name: "HalcyonConformance",
            dependencies: [
                "Halcyon", "HalcyonConcurrency", "HalcyonFiles", "HalcyonRaster", "HalcyonCodecs", "HalcyonHTTP",
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
                "Halcyon", "HalcyonConcurrency", "HalcyonTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings
        ),

        // MARK: Tests
        .testTarget(
            name: "HalcyonConcurrencyTests",
            dependencies: ["HalcyonConcurrency"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonFilesTests",
            dependencies: ["HalcyonConcurrency", "HalcyonFiles", "HalcyonTesting"],
            swiftSettings: swiftSettings
        ),
        .testTarget(name: "HalcyonRasterTests", dependencies: ["HalcyonRaster"], swiftSettings: swiftSettings),
        .testTarget(
            name: "HalcyonCodecsTests",
            dependencies: ["HalcyonCodecs", "HalcyonTesting"],
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
            dependencies: ["HalcyonConcurrency", "HalcyonStore", "HalcyonTesting", "StoreCrashTrial"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonHTTPTests",
            dependencies: ["Halcyon", "HalcyonHTTP", "HalcyonTesting"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonTests",
            dependencies: ["Halcyon", "HalcyonTesting"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonObservabilityTests",
            dependencies: [
                "Halcyon", "HalcyonConcurrency", "HalcyonObservability", "HalcyonTesting",
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
            dependencies: ["HalcyonGTK", .target(name: "CGTK", condition: .when(traits: ["GTK"]))],
            path: "Tests/MainLoopTrial",
            swiftSettings: swiftSettings
        ),
        // XCTest, because GTK needs the first thread of the process, where Swift Testing runs no main actor.
        .testTarget(
            name: "HalcyonGTKTests",
            dependencies: [
                "Halcyon", "HalcyonGTK", "HalcyonGallery", "HalcyonTesting", "MainLoopTrial",
                .target(name: "CGTK", condition: .when(traits: ["GTK"])),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonCommandTests",
            dependencies: [
                "Halcyon", "HalcyonCommand", "HalcyonConcurrency", "HalcyonTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            exclude: ["Setup/commands"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonConformanceTests",
            dependencies: ["HalcyonConformance", "HalcyonRaster", "HalcyonCodecs", "HalcyonHTTP", "HalcyonTesting"],
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
