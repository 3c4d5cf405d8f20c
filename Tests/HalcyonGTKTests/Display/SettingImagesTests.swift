import CGTK
import Halcyon
import HalcyonGTK
import XCTest

@MainActor
final class SettingImagesTests: XCTestCase {
    /// An image in memory is shown before the call returns, and completed once.
    func testDataIsShownInPicture() async throws {
        try TestWindow.requireDisplay()
        let picture = try XCTUnwrap(gtk_picture_new())
        let window = try TestWindow(child: picture)
        await window.present()
        let bitmap = try Bitmap(size: PixelSize(40, 30))
        let data = try ImageCodecs.standard.encode(bitmap, as: .png)
        var results: [Result<ImageResponse, any Error>] = []
        let display = ImageDisplay(picture)
        display.setImage(with: ImageRequest(.data(data)), completion: { results.append($0) })
        await MainLoop.run { !results.isEmpty }
        XCTAssertEqual(results.count, 1)
        XCTAssertEqual(try results[0].get().image.size, PixelSize(40, 30))
        XCTAssertEqual(display.content, .image)
        window.destroy()
    }
}
