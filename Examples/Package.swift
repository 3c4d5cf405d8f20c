// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "halcyon", path: "..")],
    targets: [
        .executableTarget(name: "Encoded", dependencies: [.product(name: "Halcyon", package: "halcyon")]),
        .executableTarget(name: "Thumbnail", dependencies: [.product(name: "Halcyon", package: "halcyon")]),
    ]
)
