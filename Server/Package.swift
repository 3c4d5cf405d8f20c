// swift-tools-version: 6.1
import PackageDescription

/// `HALCYON_STRICT=1` turns warnings into errors, as in the package above.
let isStrict = Context.environment["HALCYON_STRICT"] == "1"

let swiftSettings: [SwiftSetting] =
    [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault")]
    + (isStrict ? [.unsafeFlags(["-warnings-as-errors"])] : [])

// A package of its own: Hummingbird takes minutes to build.
let package = Package(
    name: "halcyon-server",
    products: [
        .executable(name: "halcyon-server", targets: ["halcyon-server"])
    ],
    dependencies: [
        .package(name: "halcyon", path: "..", traits: ["Observability"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.0.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-crypto", "3.0.0"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.0.0"),
    ],
    targets: [
        .target(
            name: "ServerURLs",
            dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HalcyonServer",
            dependencies: [
                "ServerURLs",
                .product(name: "Halcyon", package: "halcyon"),
                .product(name: "HalcyonFleet", package: "halcyon"),
                .product(name: "HalcyonObservability", package: "halcyon"),
                .product(name: "HalcyonStore", package: "halcyon"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "halcyon-server",
            dependencies: [
                "HalcyonServer", "ServerURLs",
                .product(name: "Halcyon", package: "halcyon"),
                .product(name: "HalcyonHEIC", package: "halcyon"),
                .product(name: "HalcyonJPEGXL", package: "halcyon"),
                .product(name: "HalcyonTIFF", package: "halcyon"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swiftSettings
        ),
        // Loads the queue of HalcyonFleet, for Scripts/measure.
        .executableTarget(
            name: "queue-load",
            dependencies: [.product(name: "HalcyonFleet", package: "halcyon")],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "ServerURLsTests",
            dependencies: ["ServerURLs"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HalcyonServerTests",
            dependencies: [
                "HalcyonServer", "ServerURLs",
                .product(name: "Halcyon", package: "halcyon"),
                .product(name: "HalcyonFleet", package: "halcyon"),
                .product(name: "HalcyonStore", package: "halcyon"),
                .product(name: "HalcyonTesting", package: "halcyon"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: swiftSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)
