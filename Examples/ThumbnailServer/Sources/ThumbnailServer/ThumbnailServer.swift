import FoundationEssentials
import Halcyon
import Hummingbird
import ThumbnailRoutes

/// Serves thumbnails of the images below a URL: `ThumbnailServer https://images.example.org`, then
/// `http://127.0.0.1:8080/thumbnails/400x400/cat.jpg`.
@main
struct ThumbnailServer {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let origin = URL(string: CommandLine.arguments[1]) else {
            fatalError("usage: ThumbnailServer URL")
        }
        let pipeline = ImagePipeline()
        let router = Router()
        router.get("health") { _, _ in HTTPResponse.Status.ok }
        ThumbnailRoutes(pipeline: pipeline, origin: origin, sizes: [PixelSize(100, 100), PixelSize(400, 400)])
            .add(to: router)
        var application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 8080))
        )
        application.addServices(PipelineService(pipeline))
        try await application.runService()
    }
}
