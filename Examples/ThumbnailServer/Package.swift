// swift-tools-version: 6.1
import PackageDescription

// A package of its own: Hummingbird takes minutes to build.
let package = Package(
    name: "ThumbnailServer",
    dependencies: [
        .package(name: "halcyon", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.0.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    ],
    targets: [
        .target(
            name: "ThumbnailRoutes",
            dependencies: [
                .product(name: "Halcyon", package: "halcyon"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .executableTarget(
            name: "ThumbnailServer",
            dependencies: ["ThumbnailRoutes", .product(name: "Hummingbird", package: "hummingbird")]
        ),
        .testTarget(
            name: "ThumbnailRoutesTests",
            dependencies: [
                "ThumbnailRoutes",
                .product(name: "HalcyonTesting", package: "halcyon"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
    ]
)
