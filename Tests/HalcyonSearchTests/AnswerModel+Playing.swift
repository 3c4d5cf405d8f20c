import HalcyonRaster

@testable import HalcyonSearch

extension AnswerModel {
    /// Plays a load that gets an image of its own, which takes a transfer.
    @discardableResult
    func load(_ call: Call) -> Int {
        let id = begin([call.identity.resource], call: call)
        let serial = imageIsSent(to: call.identity)
        end(id, .image(serial: serial, call.variant.appearance(isLarge: false)))
        return serial
    }

    /// Plays a load that is answered with an image that was sent before.
    func answer(_ call: Call, with serial: Int, appearance: Appearance? = nil) {
        let id = begin(call.resources, call: call)
        end(id, .image(serial: serial, appearance ?? call.variant.appearance(isLarge: false)))
    }
}

extension Appearance? {
    /// That of a small original.
    static var plain: Appearance? { Appearance(size: PixelSize(12, 10)) }
}
