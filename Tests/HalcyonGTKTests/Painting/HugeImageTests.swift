import CGTK
import Halcyon
import XCTest

@testable import HalcyonGTK

/// Images whose sides in points are beyond what GTK counts.
@MainActor
final class HugeImageTests: XCTestCase {
    /// An image that stands for one of this size.
    private func image(_ width: Int, _ height: Int) throws -> DecodedImage {
        DecodedImage(
            bitmap: try TestColor.red.bitmap(min(width, 64), min(height, 64)),
            info: ImageInfo(format: .png, size: PixelSize(width, height))
        )
    }

    func testNaturalSizeIsBounded() async throws {
        try TestWindow.requireDisplay()
        let (paintable, reference) = SlotPaintable.make()
        var image = try image(1 << 26, 3)
        image.scale = 0.001
        paintable.show(Paintable(image))
        XCTAssertGreaterThanOrEqual(gdk_paintable_get_intrinsic_width(reference.opaque), 1 << 26)
        XCTAssertEqual(gdk_paintable_get_intrinsic_height(reference.opaque), 3_000)
        image.scale = 0
        paintable.show(Paintable(image))
        XCTAssertGreaterThan(gdk_paintable_get_intrinsic_width(reference.opaque), 0)
    }

    /// A hundred bytes of SVG may say so much.
    func testAlignedImageThatCoversItsPlaceIsBounded() async throws {
        try TestWindow.requireDisplay()
        for size in [PixelSize(1, 1 << 26), PixelSize(1 << 26, 1)] {
            for alignment in RemoteImage.Alignment.allCases {
                var configuration = RemoteImage.Configuration()
                configuration.contentFit = .cover
                configuration.horizontalAlignment = alignment
                configuration.verticalAlignment = .end
                configuration.placeholder = .image(try image(size.width, size.height))
                let test = try await TestRemoteImage(nil, configuration, on: ViewPipeline(), isFilling: true)
                XCTAssertEqual(test.size, PixelSize(200, 200))
                let picture = test.pictureWidget
                XCTAssertGreaterThanOrEqual(gtk_widget_get_width(picture), 200)
                XCTAssertGreaterThanOrEqual(gtk_widget_get_height(picture), 200)
                test.window.destroy()
            }
        }
    }
}
