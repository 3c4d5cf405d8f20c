import FoundationEssentials
import Halcyon

guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1]) else {
    fatalError("usage: Thumbnail URL FILE.png")
}
let response = try await ImagePipeline.shared.response(for: url, options: [
    .processor(.downsample(to: PixelSize(400, 400)) |> .roundCorners(radius: .points(20)))
])
let file = URL(fileURLWithPath: CommandLine.arguments[2])
try PNGEncoder().encode(response.image.bitmap, options: EncodeOptions()).write(to: file)
