internal import Crypto
internal import FoundationEssentials

/// The secret keys that sign and check URLs, newest first. A key is rotated by adding the new one in front, and
/// removing the old one once no URL of it is in use.
///
/// Its description has no secrets.
public struct SigningKeys: Sendable, CustomStringConvertible, CustomReflectable {
    /// A key with the salt that some dialects put before what is signed.
    private struct Key: Sendable {
        let secret: [UInt8]
        let salt: [UInt8]
    }

    private var keys: [Key]
    /// The number of bytes of a signature. Default: 32, all.
    public var signatureLength = 32

    /// No keys: nothing has a valid signature.
    public init() {
        keys = []
    }

    /// Creates keys from their hexadecimal digits, one key a line; with `salt`, a key and its salt separated by a
    /// colon.
    ///
    /// - Throws: ``KeyError``; it does not repeat the text.
    public init(hexLines text: String, salted: Bool = false) throws(KeyError) {
        keys = []
        let lines = text.split(whereSeparator: \.isWhitespace)
        for (index, line) in lines.enumerated() {
            let parts = line.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == (salted ? 2 : 1) else { throw KeyError(line: index + 1, isShort: false) }
            guard let secret = URLCoding.hexDecoded(parts[0]), let salt = salted ? URLCoding.hexDecoded(parts[1]) : []
            else { throw KeyError(line: index + 1, isShort: false) }
            // Salted keys belong to another server's URLs, which may have any length.
            guard secret.count >= (salted ? 1 : 16) else { throw KeyError(line: index + 1, isShort: true) }
            keys.append(Key(secret: secret, salt: salt))
        }
    }

    /// Creates keys from texts that are keys as they stand, one a line.
    public init(textLines text: String) {
        keys = text.split(whereSeparator: \.isNewline).map { Key(secret: Array($0.utf8), salt: []) }
    }

    /// Returns a new key of 32 random bytes.
    public static func random() -> SigningKeys {
        var keys = SigningKeys()
        keys.keys = [Key(secret: SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }, salt: [])]
        return keys
    }

    /// A Boolean value that indicates whether there is no key.
    public var isEmpty: Bool { keys.isEmpty }

    /// The number of keys, and nothing else.
    public var description: String { "\(keys.count) keys" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Returns the HMAC-SHA-256 of a text in URL-safe Base64 without padding; `nil` without a key.
    ///
    /// - Parameter isByOldest: `true` for that by the oldest key, which stays the same when a key is added; `false` for that by the
    ///   newest. Default: `false`.
    public func signature(of text: String, byOldest isByOldest: Bool = false) -> String? {
        (isByOldest ? keys.last : keys.first).map {
            URLCoding.base64Encoded(code(of: text, $0).prefix(signatureLength))
        }
    }

    /// Returns whether a signature is that of a text by any of the keys. Takes the same time for each wrong
    /// signature of the right length.
    public func isValid(_ signature: some StringProtocol, of text: String) -> Bool {
        guard let given = Self.bytes(of: signature), given.count == signatureLength else { return false }
        var isValid = false
        for key in keys where Self.areEqual(code(of: text, key).prefix(signatureLength), given) { isValid = true }
        return isValid
    }

    /// Returns the bytes of a signature in its one spelling, so that one image has one URL; `nil` for another.
    private static func bytes(of signature: some StringProtocol) -> [UInt8]? {
        guard let bytes = URLCoding.base64Decoded(signature) else { return nil }
        return URLCoding.base64Encoded(bytes) == signature.prefix { $0 != "=" } ? bytes : nil
    }

    private func code(of text: String, _ key: Key) -> [UInt8] {
        var code = HMAC<SHA256>(key: SymmetricKey(data: key.secret))
        code.update(data: key.salt)
        code.update(data: Array(text.utf8))
        return Array(code.finalize())
    }

    /// Returns whether the HMAC-SHA-1 of a text by any of the keys is a signature in URL-safe Base64, as thumbor
    /// has it.
    func isValidSHA1(_ signature: some StringProtocol, of text: String) -> Bool {
        guard let given = Self.bytes(of: signature) else { return false }
        var isValid = false
        for key in keys {
            let code = HMAC<Insecure.SHA1>
                .authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: key.secret))
            if Self.areEqual(Array(code), given) { isValid = true }
        }
        return isValid
    }

    /// Compares without an end at the first difference.
    private static func areEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension SigningKeys {
    /// A key that cannot be read. It does not have the key in it.
    public struct KeyError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The number of the key, from 1.
        public let line: Int
        /// `true` if the key has fewer than 16 bytes.
        public let isShort: Bool

        /// A sentence without the key.
        public var description: String {
            isShort
                ? "Key \(line) is shorter than 16 bytes. Make one with: openssl rand -hex 32"
                : "Key \(line) is not hexadecimal (for imgproxy: KEY:SALT, both hexadecimal). Make one with: openssl rand -hex 32"
        }
    }
}
