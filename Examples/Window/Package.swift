// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "window",
    dependencies: [.package(name: "halcyon", path: "../..")],
    targets: [
        // The functions of GTK, from libgtk-4-dev.
        .systemLibrary(name: "CGTK4", pkgConfig: "gtk4"),
        .executableTarget(
            name: "Window",
            dependencies: [
                "CGTK4",
                .product(name: "Halcyon", package: "halcyon"),
                .product(name: "HalcyonGTK", package: "halcyon"),
            ]
        ),
    ]
)
