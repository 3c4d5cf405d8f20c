import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// A list that is scrolled while its model changes.
@MainActor
final class ListSpliceTests: XCTestCase {
    func testCellsOfChangingModelAreNeverWrong() async throws {
        let images = NumberedImages()
        images.answerAll()
        var configuration = ImageListFactory.Configuration()
        configuration.makeCell = { .picture(width: 64, height: 64) }
        configuration.pipeline = images.pipeline
        let factory = ImageListFactory(of: Int.self, configuration) { number, _ in images.request(number) }
        let model = ImageListModel(0..<400)
        let list = try ListWindow(.grid(columns: 5), model: model.passRetained(), factories: [factory.pointer])
        await list.present()
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        var next = 1_000
        for _ in 0..<60 {
            list.scroll(by: .random(in: -300...400, using: &random))
            let lower = Int.random(in: 0...model.count, using: &random)
            let upper = min(model.count, lower + Int.random(in: 0...8, using: &random))
            let added = Int.random(in: 0...9, using: &random)
            model.replaceSubrange(lower..<upper, with: next..<next + added)
            next += added
            await MainLoop.turn()
            // By the items of the cells: GTK may tell their new positions later.
            for cell in factory.boundCells.values {
                guard let image = cell.content.display.image else { continue }
                XCTAssertEqual(NumberedImages.number(of: image), cell.item?.element(Int.self), "seed \(seed)")
            }
        }
        await MainLoop.run {
            !factory.visiblePositions.isEmpty && factory.wrongPositions { model[$0] }.isEmpty
        }
        model.removeAll()
        await MainLoop.run { factory.boundCells.isEmpty && images.running.isEmpty }
        list.window.destroy()
    }
}
