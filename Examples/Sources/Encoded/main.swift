import FoundationEssentials
import Halcyon

/// Returns a thumbnail in the best format that a client reads, by the `Accept` field of its request.
func thumbnail(of url: URL, accepting field: String?) async throws -> EncodedImage {
    try await ImagePipeline.shared.encoded(
        for: url,
        as: .accepted(by: field),
        options: [.processor(.resize(to: .pixels(400, 400)))]
    )
}

guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1]) else {
    fatalError("usage: encoded URL ACCEPT")
}
let image = try await thumbnail(of: url, accepting: CommandLine.arguments[2])
print("\(image.mediaType), \(image.data.count) bytes, ETag \(image.entityTag)")
