// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Examples",
    // Without the traits for HEIC, JPEG XL, TIFF, SVG and videos, and so without their libraries.
    dependencies: [.package(name: "halcyon", path: "..", traits: [])],
    targets: [
        .executableTarget(name: "Encoded", dependencies: [.product(name: "Halcyon", package: "halcyon")]),
        .executableTarget(name: "Thumbnail", dependencies: [.product(name: "Halcyon", package: "halcyon")]),
    ]
)
