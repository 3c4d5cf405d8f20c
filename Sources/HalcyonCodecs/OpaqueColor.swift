/// A colour without transparency, in sRGB.
public struct OpaqueColor: Sendable, Hashable {
    /// 0 to 255.
    public var red: UInt8
    /// 0 to 255.
    public var green: UInt8
    /// 0 to 255.
    public var blue: UInt8

    /// White.
    public static let white = OpaqueColor(red: 255, green: 255, blue: 255)
    /// Black.
    public static let black = OpaqueColor(red: 0, green: 0, blue: 0)

    /// A colour of three samples, 0 to 255 each.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }
}
