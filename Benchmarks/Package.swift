// swift-tools-version: 6.1
import Foundation
import PackageDescription

/// As in the package above: `HALCYON_STRICT=1` turns warnings into errors.
let isStrict = Context.environment["HALCYON_STRICT"] == "1"

/// libpng and giflib are only yardsticks: where their headers are missing, the cases are measured without them.
let hasPNG = FileManager.default.fileExists(atPath: "/usr/include/png.h")
let hasGIF = FileManager.default.fileExists(atPath: "/usr/include/gif_lib.h")

var swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]
var cSettings: [CSetting] = []
if isStrict {
    swiftSettings.append(.unsafeFlags(["-warnings-as-errors"]))
    cSettings.append(.unsafeFlags(["-Wall", "-Wextra", "-Werror"]))
}
if hasPNG {
    cSettings.append(.define("HALCYON_REFERENCE_PNG"))
}
if hasGIF {
    cSettings.append(.define("HALCYON_REFERENCE_GIF"))
}

let package = Package(
    name: "halcyon-benchmarks",
    products: [
        .executable(name: "halcyon-bench", targets: ["HalcyonBench"])
    ],
    dependencies: [
        .package(name: "halcyon", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(
            name: "CReferences",
            cSettings: cSettings,
            linkerSettings: ["avif", "curl", "jpeg", "webp", "webpdemux", "sqlite3", "m"].map { .linkedLibrary($0) }
                + (hasPNG ? [.linkedLibrary("png16")] : []) + (hasGIF ? [.linkedLibrary("gif")] : [])
        ),
        .executableTarget(
            name: "HalcyonBench",
            dependencies: [
                "CReferences",
                .product(name: "Halcyon", package: "halcyon"),
                .product(name: "HalcyonHTTP", package: "halcyon"),
                .product(name: "HalcyonStore", package: "halcyon"),
                .product(name: "HalcyonRaster", package: "halcyon"),
                .product(name: "HalcyonCodecs", package: "halcyon"),
                .product(name: "HalcyonIsolation", package: "halcyon"),
                .product(name: "HalcyonTesting", package: "halcyon"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swiftSettings
        ),
    ]
)
