internal import Halcyon

extension SlotController {
    /// The most sizes of an icon that are loaded.
    private static let iconSizeLimit = 16

    /// Loads the further sizes of a window's icon that has several, as an ICO does: what was drawn for a size looks better
    /// than a larger image made smaller.
    func loadIconSizes(of image: DecodedImage, for task: DisplayTask) {
        guard let icon = installation?.connection as? WindowIconConnection, image.info.format == .ico,
            task.options.targetSize == nil, task.options.decode.frame == 0
        else { return }
        let count = min(image.info.frameCount, Self.iconSizeLimit)
        guard count > 1 else { return }
        iconSizes = Task { [weak self, weak icon] in
            var images: [DecodedImage] = []
            for frame in 1..<count {
                // The original on disk serves those that follow.
                let request = task.request(for: .imageSize()).again.applying([
                    .frame(frame), .priority(.low), .cacheOriginalImage,
                ])
                guard let response = try? await task.pipeline.response(for: request) else { return }
                let size = response.image.size
                if size != image.size, max(size.width, size.height) <= WindowIconConnection.limit {
                    images.append(response.image)
                }
            }
            guard let self, task === self.task, content.kind == .image else { return }
            icon?.add(images)
        }
    }

    func endIconSizes() {
        iconSizes?.cancel()
        iconSizes = nil
    }
}
