// swift-tools-version: 6.1
import PackageDescription

/// Feeds the decoders with what libFuzzer makes up. Built by `Fuzz/run`, which passes the flags of the sanitizers: they
/// must reach the package above as well.
let package = Package(
    name: "halcyon-fuzz",
    dependencies: [
        .package(name: "halcyon", path: "..")
    ],
    targets: [
        // Part of the compiler; linked by the flags of `Fuzz/run`.
        .systemLibrary(name: "CFuzzer"),
        .executableTarget(
            name: "HalcyonFuzz",
            dependencies: [
                "CFuzzer",
                .product(name: "HalcyonCodecs", package: "halcyon"),
                .product(name: "HalcyonRaster", package: "halcyon"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]
        ),
    ]
)
