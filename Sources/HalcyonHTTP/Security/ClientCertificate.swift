/// A certificate that proves the client's identity to a server over TLS (RFC 8446, section 4.4.2).
///
/// Descriptions leave the passphrase out.
public struct ClientCertificate: Sendable, Hashable {
    enum Container: Sendable, Hashable {
        case pem(certificateFile: String, keyFile: String)
        case pkcs12(file: String)
    }

    let container: Container
    let passphrase: String?

    /// Returns a certificate in PEM: a file with the certificate, followed by those of intermediate authorities, and a
    /// file with its private key; by default the key is in the same file. `passphrase` is the key's, if it is
    /// encrypted.
    public static func pem(
        certificateFile: String,
        keyFile: String? = nil,
        passphrase: String? = nil
    ) -> ClientCertificate {
        let container = Container.pem(certificateFile: certificateFile, keyFile: keyFile ?? certificateFile)
        return ClientCertificate(container: container, passphrase: passphrase)
    }

    /// Returns a certificate with its key in a PKCS#12 file (RFC 7292).
    public static func pkcs12(file: String, passphrase: String? = nil) -> ClientCertificate {
        ClientCertificate(container: .pkcs12(file: file), passphrase: passphrase)
    }
}

extension ClientCertificate: CustomStringConvertible, CustomDebugStringConvertible {
    /// The file, without the passphrase.
    public var description: String {
        switch container {
        case .pem(let file, _), .pkcs12(let file): "client certificate in \(file)"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}
