/// The base 83 encoding of BlurHash: numbers of digits with the most significant first.
enum Base83 {
    private static let digits = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8
    )

    /// The value of each byte as a digit; -1 for those that are none.
    private static let values: [Int] = (0..<256).map { byte in digits.firstIndex(of: UInt8(byte)) ?? -1 }

    /// Returns the number that up to 9 digits stand for; `nil` where one of them is none.
    static func value(of text: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for byte in text {
            let digit = values[Int(byte)]
            guard digit >= 0 else {
                return nil
            }
            value = value * 83 + digit
        }
        return value
    }

    /// Returns the digits of a number that so many hold.
    static func text(of value: Int, count: Int) -> String {
        var (rest, text) = (value, [UInt8]())
        for _ in 0..<count {
            text.append(digits[rest % 83])
            rest /= 83
        }
        return String(decoding: text.reversed(), as: UTF8.self)
    }
}
