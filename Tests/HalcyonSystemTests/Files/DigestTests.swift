import HalcyonSystem
import Testing

@Suite("Digests")
struct DigestTests {
    @Test(
        "MD5 gives those of RFC 1321, appendix A.5",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            (
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                "d174ab98d277d9f5a5611c2c9f419d9f"
            ),
            (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
        ]
    )
    func md5(text: String, expected: String) {
        #expect(MD5.hexadecimal(of: Array(text.utf8)) == expected)
    }

    @Test("MD5 names thumbnails as the example of the Thumbnail Managing Standard does")
    func thumbnailName() {
        let uri = "file:///home/jens/photos/me.png"
        #expect(MD5.hexadecimal(of: Array(uri.utf8)) == "c6ee772d9e49320e97ec29a7eb5b1697")
    }

    @Test(
        "MD5 pads messages around the length of a block",
        arguments: [
            (55, "ef1772b6dff9a122358552954ad0df65"), (56, "3b0c8ac703f828b04c6c197006d17218"),
            (63, "b06521f39153d618550606be297466d5"), (64, "014842d480b571495a4a0363793f7367"),
            (65, "c743a45e0d2e6a95cb859adae0248435"),
        ]
    )
    func padding(count: Int, expected: String) {
        #expect(MD5.hexadecimal(of: [UInt8](repeating: 0x61, count: count)) == expected)
    }

    @Test(
        "SHA-256 gives those of FIPS 180",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]
    )
    func sha256(text: String, expected: String) {
        #expect(SHA256.hexadecimal(of: Array(text.utf8)) == expected)
    }
}
