// swift-tools-version: 6.1
import PackageDescription

// A package of its own, because its dependencies take minutes to build and nothing but one comparison needs them:
//
//   swift build -c release --package-path Benchmarks/AsyncHTTPClient
//   swift run -c release --package-path Benchmarks halcyon-bench http \
//       --async-http-client Benchmarks/AsyncHTTPClient/.build/release/async-http-client-transfers
let package = Package(
    name: "async-http-client-transfers",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.20.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.20.0"),
    ],
    targets: [
        .executableTarget(
            name: "async-http-client-transfers",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Sources/AsyncHTTPClientTransfers"
        )
    ]
)
