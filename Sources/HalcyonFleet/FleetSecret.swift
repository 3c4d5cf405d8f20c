internal import FoundationEssentials
internal import HalcyonSystem

/// A secret that the machines of a fleet share, by which the names of images are hashed before an engine sees them.
///
/// It is no password of the engine: whoever reads the engine's keys learns nothing of the names, and cannot confirm a guess.
/// Machines with another secret share nothing with these.
public struct FleetSecret: Sendable {
    /// The least bytes of a secret.
    public static let leastByteCount = 16

    /// The 16 bytes of the key.
    package let key: [UInt8]
    private let hash: KeyedHash
    /// The first part of all keys of this fleet on an engine.
    let prefix: String

    /// Creates a secret from bytes that are hard to guess, such as those of `openssl rand -base64 32`.
    ///
    /// - Parameter bytes: At least 16, from a file that only the service reads, or from the environment; not from an argument
    ///   of a command, which all users of a machine see.
    /// - Returns: `nil` if there are fewer bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count >= Self.leastByteCount else { return nil }
        let digits = Array(SHA256.hexadecimal(of: Array("halcyon-fleet-1\0".utf8) + Array(bytes)).utf8)
        key = stride(from: 0, to: 32, by: 2).map { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
        }
        hash = KeyedHash(key: key)
        let words = hash.hash(of: Array("prefix".utf8))
        prefix = "hc1:" + String(words.0.hexadecimalDigits.prefix(8))
    }

    /// Returns 32 hexadecimal digits for a name.
    func digest(of name: String) -> String {
        let words = hash.hash(of: Array(name.utf8))
        return words.0.hexadecimalDigits + words.1.hexadecimalDigits
    }
}
