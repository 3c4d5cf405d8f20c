// swift-tools-version: 6.1
import PackageDescription

/// Feeds the decoders, and the readers of fields, metadata and indexes, with what libFuzzer makes up. Built by `Fuzz/run`, which passes the flags of the sanitizers: they
/// must reach the package above as well.
let package = Package(
    name: "halcyon-fuzz",
    dependencies: [
        .package(name: "halcyon", path: ".."),
        // What Halcyon itself depends on, for the types of its fields.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
    ],
    targets: [
        // Part of the compiler; linked by the flags of `Fuzz/run`.
        .systemLibrary(name: "CFuzzer"),
        .executableTarget(
            name: "HalcyonFuzz",
            dependencies: [
                "CFuzzer",
                .product(name: "Halcyon", package: "halcyon"),
                .product(name: "HalcyonCodecs", package: "halcyon"),
                .product(name: "HalcyonFormats", package: "halcyon"),
                .product(name: "HalcyonHTTP", package: "halcyon"),
                .product(name: "HalcyonRaster", package: "halcyon"),
                .product(name: "HalcyonStore", package: "halcyon"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]
        ),
    ]
)
