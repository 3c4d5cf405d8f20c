internal import FoundationEssentials

extension Duration {
    /// The duration in milliseconds, to three decimal places.
    var milliseconds: Double {
        let (seconds, attoseconds) = components
        let value = Double(seconds) * 1e3 + Double(attoseconds) / 1e15
        return (value * 1e3).rounded() / 1e3
    }
}

/// Numbers in the form that people read.
enum Format {
    /// Returns "640 B", "24.3 kB" or "1.2 MB"; a kB is 1,000 bytes.
    static func bytes(_ count: Int) -> String {
        guard count >= 1000 else { return "\(count) B" }
        var value = Double(count) / 1000
        for unit in ["kB", "MB", "GB"] {
            if value < 999.95 { return "\(decimal(value, places: 1)) \(unit)" }
            value /= 1000
        }
        return "\(decimal(value, places: 1)) TB"
    }

    /// Returns "12.3", or "–" where there is no number.
    static func milliseconds(_ duration: Duration?) -> String {
        guard let duration else { return "–" }
        let value = duration.milliseconds
        // A hit in memory takes a few microseconds; "0.0" would say nothing.
        return decimal(value, places: value < 0.1 ? 3 : 1)
    }

    /// Returns "42 s", "3:07 min" or "2:05 h".
    static func time(seconds: Double) -> String {
        let seconds = Int(min(max(seconds, 0), 1e9).rounded())
        let padded = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60):\(padded(seconds % 60)) min" }
        return "\(seconds / 3600):\(padded(seconds / 60 % 60)) h"
    }

    /// Returns a number with this many decimal places.
    static func decimal(_ value: Double, places: Int) -> String {
        var scale = 1
        for _ in 0..<places { scale *= 10 }
        let scaled = Int((value * Double(scale)).rounded())
        let fraction = String(abs(scaled) % scale)
        let padding = String(repeating: "0", count: places - fraction.count)
        return "\(scaled < 0 ? "-" : "")\(abs(scaled) / scale).\(padding)\(fraction)"
    }
}

/// Writes one JSON object a line.
enum JSONLine {
    static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // This program encodes only numbers and text, which always encode.
        guard let data = try? encoder.encode(value) else { return "{}" }
        // The encoder escapes those of ASCII below the space.
        return String(decoding: data, as: UTF8.self).unicodeScalars.reduce(into: "") { text, scalar in
            guard scalar.properties.generalCategory == .control else { return text.unicodeScalars.append(scalar) }
            text += "\\u00\(String(scalar.value, radix: 16))"
        }
    }
}
