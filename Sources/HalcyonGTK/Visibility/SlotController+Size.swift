internal import CGTK
@_spi(Views) internal import Halcyon

extension SlotController {
    /// The size at which an attempt asks for its image.
    enum Demand {
        /// The image's own, or one that the program has given. A point of the widget has so many pixels.
        case imageSize(scale: Double = 1)
        case size(SizeDemand)

        var size: SizeDemand? { if case .size(let size) = self { size } else { nil } }

        var scale: Double {
            switch self {
            case .imageSize(let scale): scale
            case .size(let size): size.scale
            }
        }
    }

    /// The place in which the widget draws the image; `nil` for an object that is no widget.
    var place: PaintingPlace? { installation?.displayWidget.map { PaintingPlace($0) } }

    /// The size at which an image is asked for now; `nil` while that is not known.
    func sizeDemand(for task: DisplayTask) -> Demand? {
        guard task.options[DisplaySizingKey.self] == .widget, task.options.targetSize == nil else {
            return .imageSize(scale: visibility.scale)
        }
        if let fixed = installation?.connection.fixedSize { return .size(fixed) }
        guard let place else { return .imageSize() }
        guard visibility.isLaidOut else {
            return task.options[LoadVisibilityKey.self] == .always ? .imageSize() : nil
        }
        let demand = place.demand(
            scale: visibility.scale,
            shown: paintable?.current,
            isProvisional: isProvisional,
            after: fittingWindow
        )
        return demand.map(Demand.size) ?? .imageSize()
    }

    /// A Boolean value that indicates whether there was no image since the slot was empty: what is shown, such as a
    /// placeholder, decides no size that is not given.
    var isProvisional: Bool { !hasShownImage && paintable?.current?.holdsPlace != true }

    /// Looks at whether the window has the size of its content, before that changes: a window that what stands in the place
    /// of an image has made larger stays so when that goes, and takes the size of the image nevertheless.
    func noteFittingWindow() {
        fittingWindow = isProvisional && visibility.isMapped ? place?.fittingWindow(after: fittingWindow) : nil
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
        // Memory may have had it at another size than was asked for.
        var isWhole = task?.options.processing.isIdentity == true
        let factor = requestedSize.factor(of: whole)
        let (width, height) = (Double(image.size.width), Double(image.size.height))
        if !isWhole {
            guard factor < 1 else { return paintable }
            // Processors that change the sides leave no way to know the whole sides but this.
            isWhole = abs(Double(whole.width) * factor - width) <= 1 && abs(Double(whole.height) * factor - height) <= 1
        }
        return Paintable(
            paintable.reference,
            width: (isWhole ? Double(whole.width) : width / factor) / image.scale,
            height: (isWhole ? Double(whole.height) : height / factor) / image.scale
        )
    }

    /// Has the image that is shown loaded anew if it has fewer pixels than the widget has room for, or many more.
    func followSize() {
        hasGrownOutOfSight = false
        // An image that was kept while a load failed, was cancelled, or is shown by the program is that of an earlier one.
        guard let task, task.showsResponse, let requested = requestedSize, visibility.isMapped, task.state == .finished,
            content.kind == .image, let image = content.image,
            case .size(let size)? = sizeDemand(for: task)
        else { return }
        let asked = [requested, enlargement?.size, failedEnlargement?.size].compactMap(\.self)
        let whole = image.info.displaySize
        let needed = size.factor(of: whole)
        let isUnprocessed = task.options.processing.isIdentity
        let shown = isUnprocessed && whole.width > 0 ? Double(image.size.width) / Double(whole.width) : 0
        guard needed <= asked.reduce(shown, { max($0, $1.factor(of: whole)) }) else {
            // The end of a layout in which it comes into sight is told, too.
            guard visibility.isInSight else {
                hasGrownOutOfSight = true
                return visibility.followLayouts()
            }
            return waitForRest(at: size)
        }
        endGrowth()
        guard task.mayBeInexact else { return }
        task.mayBeInexact = false
        // No more pixels than a widget that grows has, see `SizeDemand.grown(to:)`.
        guard isUnprocessed, shown > needed * 1.3 else { return }
        // Nothing but its quality depends on it, and nothing is sent for that.
        let request = task.request(for: .size(size)).applying([.precision(.exact), .onlyFromCache, .priority(.low)])
        load(request, at: size, in: task.pipeline, isLarger: false)
    }

    /// Waits until the widget has kept a size for a while: one that grows step by step is not followed at each.
    private func waitForRest(at size: SizeDemand) {
        guard size != growth?.size else { return }
        endGrowth()
        let clock = clock
        growth = Growth(
            size: size,
            wait: Task { [weak self] in
                guard (try? await clock.sleep(for: Growth.rest)) != nil, let self, growth?.size == size else { return }
                growth = nil
                enlarge(to: size)
            }
        )
    }

    private func endGrowth() {
        growth?.wait.cancel()
        growth = nil
    }

    private func enlarge(to size: SizeDemand) {
        guard visibility.isInSight else { return followSize() }
        guard let task, task.response != nil, let requested = requestedSize else { return }
        let larger = (enlargement?.size ?? failedEnlargement?.size ?? requested).grown(to: size)
        load(task.request(for: .size(larger)), at: larger, in: task.pipeline, isLarger: true)
    }

    /// Loads the image that is shown at another size. The load takes the place of the one under way once it has joined the
    /// work that both share.
    private func load(_ request: ImageRequest, at size: SizeDemand, in pipeline: ImagePipeline, isLarger: Bool) {
        let request = request.again
        let earlier = enlargement
        enlargementCount += 1
        let number = enlargementCount
        let network = isLarger ? earlier?.network ?? NetworkWatch(of: pipeline, clock: clock) : nil
        enlargement = Enlargement(size: size, number: number, isLarger: isLarger, network: network)
        let imageTask = pipeline.loadImage(with: request, on: .mainActor) { [weak self] result in
            MainActor.assumeIsolated { self?.enlargementDidEnd(number, with: result) }
        }
        if enlargement?.number == number { enlargement?.task = imageTask }
        earlier?.task?.supersede(by: imageTask, policy: .cancel)
    }

    private func enlargementDidEnd(_ number: Int, with result: Result<ImageResponse, any Error>) {
        guard let enlargement, enlargement.number == number, let task else { return }
        self.enlargement = nil
        guard content.kind == .image else { return }
        switch result {
        case .success(let response):
            failedEnlargement = nil
            requestedSize = enlargement.size
            task.mayBeInexact = enlargement.isLarger && response.source == .memory
            task.response = response
            setImage(response.image, through: .none, goesOn: true)
        case .failure where enlargement.isLarger:
            if enlargement.network?.isBack == true {
                failedEnlargement = nil
                return followSize()
            }
            let network =
                failedEnlargement?.network
                ?? NetworkReturn(of: task.pipeline) { [weak self] in self?.networkDidReturn() }
            failedEnlargement = FailedEnlargement(size: enlargement.size, network: network)
        case .failure: break
        }
    }

    /// The network is back, after an image could not be loaded at a larger size.
    private func networkDidReturn() {
        failedEnlargement = nil
        // What is under way has begun before it, and may fail later.
        enlargement?.network?.isBack = true
        followSize()
    }

    func cancelEnlargement() {
        endGrowth()
        hasGrownOutOfSight = false
        let imageTask = enlargement?.task
        enlargement = nil
        imageTask?.cancel()
    }
}

extension DisplayTask {
    /// The request of an attempt.
    func request(for demand: SlotController.Demand) -> ImageRequest {
        let request = ImageRequest(request.source, exactly: options)
        // Points are those of the widget, unless the program has said how many pixels one has.
        let hasScale = options.delivery.scale != 1
        guard let size = demand.size else {
            guard !hasScale, options.targetSize?.unit == .points else { return request }
            return request.applying([.scaleFactor(demand.scale)])
        }
        var changes: [ImageOption] = [.targetSize(size.targetSize)]
        // The natural size of the widget stays that of the whole image, a pixel of which is a point on every screen.
        if !hasScale, options.processing.hasLengthsInPoints {
            changes.append(.processor(options.processing.inPixels(atScale: demand.scale)))
        }
        // All others are made again of the original, where that is kept.
        if options.cache.storesOriginal { changes.append(.storedResults(.costly)) }
        // An animated image stays one, and its frames are decoded at this size, too. Processors of the program's own
        // make a still image of it unless it says otherwise.
        if options.processing.isIdentity { changes.append(.processAllFrames) }
        return request.applying(changes)
    }
}

/// The size at which an image is decoded for a widget.
public enum DisplaySizing: Sendable, Hashable, CaseIterable {
    /// That of the widget, in pixels of the screen, but no larger than the image's own. When the widget has grown and kept
    /// its size for 100 ms in sight, the image is made anew at that size, and what is shown stays until then.
    ///
    /// Views keep the original on disk (``ImageOption/cacheOriginalImage``), so that an image is transferred once, at
    /// however many sizes it is shown. Of the results at such sizes, only those that took more than 5 ms of the processor
    /// are kept there, one for each image. A larger image in memory is drawn smaller until there is one of the size
    /// (``SizePrecision/inexact``), unless there are processors. The options of a call take precedence over all that.
    ///
    /// A load begins once the widget has a size. A widget that takes its size from the image has none in a direction;
    /// that direction then counts for nothing. A window without a size of its own takes that of its first image. An icon of a
    /// window has a size of its own, see ``WidgetSlot/image``.
    ///
    /// Lengths in points, as the radius of corners, are points of the widget on its screen, unless
    /// ``ImageOption/scaleFactor(_:)`` says how many pixels a point has. So is a target size in points.
    case widget
    /// The image's own.
    case image
}

extension ImageRequest {
    /// The request for more of an image that was loaded by this one, such as its pixels for a larger widget: what was
    /// asked for then is on disk, so that nothing is transferred or asked again.
    var again: ImageRequest {
        guard options.cache.storesOnDisk else { return self }
        var request = self
        request.options.cache.reads = .all
        request.options.cache.revalidates = false
        return request
    }
}
