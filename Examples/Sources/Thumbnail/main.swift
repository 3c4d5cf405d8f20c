import FoundationEssentials
import Halcyon

guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1]) else {
    fatalError("usage: thumbnail URL FILE.png")
}
let thumbnail = ImageProcessorChain.downsample(to: .pixels(400, 400)) |> .roundCorners(radius: .points(20))
let image = try await ImagePipeline.shared.image(from: url, options: [.processor(thumbnail)])
let png = try ImageCodecs.standard.encode(image.bitmap, as: .png)
try png.write(to: URL(fileURLWithPath: CommandLine.arguments[2]))
