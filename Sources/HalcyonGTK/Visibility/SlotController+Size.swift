#if GTK
internal import CGTK
internal import Halcyon

extension SlotController {
    /// The size at which an attempt asks for its image.
    enum Demand {
        case imageSize
        case size(SizeDemand)

        var size: SizeDemand? {
            switch self {
            case .imageSize: nil
            case .size(let size): size
            }
        }
    }

    /// The place in which the widget draws the image; `nil` for an object that is no widget.
    var place: PaintingPlace? { installation?.displayWidget.map { PaintingPlace($0) } }

    /// The size at which an image is asked for now; `nil` while that is not known.
    func sizeDemand(for task: DisplayTask) -> Demand? {
        guard task.options[DisplaySizingKey.self] == .widget, task.options.targetSize == nil else { return .imageSize }
        if let fixed = installation?.connection.fixedSize { return .size(fixed) }
        guard let place else { return .imageSize }
        guard visibility.isLaidOut else {
            return task.options[LoadVisibilityKey.self] == .always ? .imageSize : nil
        }
        return place.demand(scale: visibility.scale, shown: paintable?.current).map(Demand.size) ?? .imageSize
    }

    /// Returns what draws an image of the load that counts, in the way that its options say: at the size of the whole
    /// image in points, also where fewer pixels were asked for, so that the widget's natural size does not depend on the
    /// widget's size.
    func paintable(for image: DecodedImage) -> Paintable {
        var paintable = sizedPaintable(for: image)
        if let task { paintable.rendering = task.options[ImageRenderingKey.self] }
        return paintable
    }

    private func sizedPaintable(for image: DecodedImage) -> Paintable {
        let paintable = Paintable(image)
        guard let requestedSize, image.size == image.fullSize, image.scale > 0 else { return paintable }
        let whole = image.info.displaySize
        let factor = requestedSize.factor(of: whole)
        guard factor < 1 else { return paintable }
        let (width, height) = (Double(image.size.width), Double(image.size.height))
        // Processors that change the sides leave no way to know the whole sides but this.
        let isWhole = abs(Double(whole.width) * factor - width) <= 1 && abs(Double(whole.height) * factor - height) <= 1
        return Paintable(
            paintable.reference,
            width: (isWhole ? Double(whole.width) : width / factor) / image.scale,
            height: (isWhole ? Double(whole.height) : height / factor) / image.scale
        )
    }

    /// Loads the image that is shown anew if it has fewer pixels than the widget has room for.
    func enlargeIfNeeded() {
        // An image that was kept while a load failed, was cancelled, or is shown by the program is that of an earlier one.
        guard let task, task.response != nil, task.options[ImageSettingKey.self] == .automatic,
            let requested = requestedSize, visibility.isMapped, task.state == .finished,
            content.kind == .image, let image = content.image,
            case .size(let size)? = sizeDemand(for: task)
        else { return }
        let whole = image.info.displaySize
        let underWay = enlargement?.size ?? requested
        guard size.factor(of: whole) > underWay.factor(of: whole) else { return }
        cancelEnlargement()
        let larger = underWay.grown(to: size)
        let request = task.request(for: .size(larger))
        enlargementCount += 1
        let number = enlargementCount
        enlargement = Enlargement(size: larger, number: number)
        let imageTask = task.pipeline.loadImage(with: request, on: .mainActor) { [weak self] result in
            MainActor.assumeIsolated { self?.enlargementDidEnd(number, with: result) }
        }
        if enlargement?.number == number { enlargement?.task = imageTask }
    }

    private func enlargementDidEnd(_ number: Int, with result: Result<ImageResponse, any Error>) {
        guard let enlargement, enlargement.number == number, let task else { return }
        self.enlargement = nil
        // Also after a failure, so that the same is not tried at each layout.
        requestedSize = enlargement.size
        guard case .success(let response) = result, content.kind == .image else { return }
        task.response = response
        setImage(response.image, through: .none, goesOn: true)
    }

    func cancelEnlargement() {
        let imageTask = enlargement?.task
        enlargement = nil
        imageTask?.cancel()
    }
}

extension DisplayTask {
    /// The request of an attempt.
    func request(for demand: SlotController.Demand) -> ImageRequest {
        guard let size = demand.size else { return request }
        var request = request
        request.options.targetSize = size.targetSize
        // An animated image stays one, and its frames are decoded at this size, too. Processors of the program's own
        // make a still image of it unless it says otherwise.
        if options.processing.isIdentity { request.options.decode.processesAllFrames = true }
        return request
    }
}
#endif
