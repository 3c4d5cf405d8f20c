import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

@MainActor
final class ListLifetimeTests: XCTestCase {
    /// GTK's renderer by OpenGL keeps textures of up to 128 pixels of its own accord, also after their windows.
    private static let side = 160

    /// A window that is destroyed in the middle of its loads leaves nothing of its list.
    func testDestroyedWindowLeavesNothing() async throws {
        let images = NumberedImages(side: Self.side)
        let living = LivingObjects()
        // What the first list needs for the whole process is there before anything is counted.
        try await showAndDestroy(images, LivingObjects(), .grid(columns: 3))
        let descriptors = try openDescriptors()
        for kind in [ListWindow.Kind.grid(columns: 3), .list, .columns] {
            try await showAndDestroy(images, living, kind)
            await MainLoop.run { living.isEmpty && images.running.isEmpty }
            XCTAssertEqual(living.description, "nothing")
        }
        await MainLoop.run { (try? self.openDescriptors()).map { $0 <= descriptors } ?? false }
    }

    /// Shows a list with a part of its images loaded, another part under way, and some prefetched, and ends it.
    private func showAndDestroy(_ images: NumberedImages, _ living: LivingObjects, _ kind: ListWindow.Kind) async throws
    {
        var configuration = ImageListFactory.Configuration()
        configuration.makeCell = { .picture(width: Self.side, height: Self.side) }
        configuration.pipeline = images.pipeline
        configuration.prefetchDistance = .items(8)
        let base = images.transport.startedCount
        let factory = ImageListFactory(of: Int.self, configuration) { number, _ in
            images.request((number + base) % 16_384)
        }
        let list = try ListWindow(
            kind,
            model: ImageListModel(0..<1_000).passRetained(),
            factories: [factory.pointer]
        )
        await list.present()
        func isVisible(_ transfer: ScriptedTransfer) -> Bool {
            let number = NumberedImages.number(of: transfer.request)
            return factory.visiblePositions.contains { ($0 + base) % 16_384 == number }
        }
        await MainLoop.run { images.running.count { isVisible($0) } >= 3 && images.running.count > 4 }
        for transfer in images.running.filter(isVisible).prefix(3) { images.answer(transfer) }
        await MainLoop.run {
            factory.boundCells.values.count { $0.content.display.content == .image } == 3 && !images.running.isEmpty
        }
        living.note(factory)
        let running = images.running
        XCTAssertFalse(running.isEmpty)
        list.window.destroy()
        await MainLoop.run { running.allSatisfy(\.isCancelled) }
    }

    /// The number of open file descriptors, apart from those of the disk cache, which opens more as it needs them.
    private func openDescriptors() throws -> Int {
        let folder = "/proc/self/fd/"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + name)
            return target?.contains("index.sqlite") != true
        }
    }

    /// However far a list is scrolled, its cells hold the textures of what is in sight, and of a page around that.
    func testTexturesFollowTheVisibleCells() async throws {
        let images = NumberedImages(side: Self.side)
        images.answerAll()
        var configuration = ImageListFactory.Configuration()
        configuration.makeCell = { .picture(width: Self.side, height: Self.side) }
        configuration.pipeline = images.pipeline
        let factory = ImageListFactory(of: Int.self, configuration) { number, _ in images.request(number) }
        let list = try ListWindow(
            .grid(columns: 3),
            model: ImageListModel(0..<10_000).passRetained(),
            factories: [factory.pointer]
        )
        await list.present()
        let living = LivingObjects()
        for _ in 0..<30 {
            list.scroll(by: list.page / 2)
            await list.settle()
            await MainLoop.run { factory.wrongPositions().isEmpty }
            living.noteTextures(factory)
        }
        await list.settle()
        let visibleCount = factory.visiblePositions.count
        XCTAssertGreaterThan(factory.boundCells.count, 3 * visibleCount)
        XCTAssertLessThanOrEqual(living.textureCount, 3 * visibleCount)
        XCTAssertGreaterThanOrEqual(living.textureCount, visibleCount)
        // What was dropped is shown again when it comes back.
        list.scroll(by: -10 * list.page)
        await list.settle()
        await MainLoop.run { factory.wrongPositions().isEmpty }
        list.window.destroy()
        await MainLoop.run { living.textureCount == 0 }
    }
}

/// What belongs to lists and has not ended.
@MainActor
private final class LivingObjects {
    private struct Weak {
        weak var object: AnyObject?
    }

    private var swiftObjects: [Weak] = []
    private var textures: [WeakTexture] = []

    /// Notes all that the cells of a factory own.
    func note(_ factory: ImageListFactory) {
        guard let binder = ListBinder.of(factory.pointer) else { return XCTFail("no binder") }
        swiftObjects += [Weak(object: factory), Weak(object: binder)]
        for viewport in binder.viewports.values { swiftObjects.append(Weak(object: viewport)) }
        for cell in binder.cells.values {
            let state = WidgetState.of(cell.content.display.object)
            let controller = state.existingController(for: .image)
            for object in [cell, state, state.visibility, controller, controller?.paintable, controller?.task]
                as [AnyObject?]
            {
                if let object { swiftObjects.append(Weak(object: object)) }
            }
        }
        noteTextures(factory)
    }

    /// Notes the textures that the cells of a factory show.
    func noteTextures(_ factory: ImageListFactory) {
        for cell in ListBinder.of(factory.pointer)?.cells.values ?? [:].values {
            let display = cell.content.display
            guard display.content == .image,
                let controller = WidgetState.existing(display.object)?.existingController(for: .image),
                let texture = controller.paintable?.current?.pointer,
                !textures.contains(where: { $0.object == texture })
            else { continue }
            textures.append(WeakTexture(texture))
        }
    }

    var textureCount: Int { textures.count { $0.object != nil } }

    var isEmpty: Bool { textureCount == 0 && swiftObjects.allSatisfy { $0.object == nil } }

    var description: String {
        let kinds = Set(swiftObjects.compactMap { $0.object.map { "\(type(of: $0))" } })
        return isEmpty ? "nothing" : "\(kinds.sorted()), \(textureCount) textures"
    }
}

/// A reference to a texture that does not keep it.
@MainActor
private final class WeakTexture {
    private(set) var object: UnsafeMutableRawPointer?

    init(_ object: UnsafeMutableRawPointer) {
        self.object = object
        // It lives as long as the texture does.
        g_object_weak_ref(
            object.object,
            { data, _ in
                let reference = Unmanaged<WeakTexture>.fromOpaque(nonnull(data))
                MainActor.assumeIsolated { reference.takeUnretainedValue().object = nil }
                reference.release()
            },
            Unmanaged.passRetained(self).toOpaque()
        )
    }
}
