/// Bodies in gzip coding (RFC 1952), made once with zlib at level 9.
enum GzipFixture {
    /// "halcyon " 1,250 times.
    static let tenThousandBytes: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 197, 177, 13, 0, 32, 8, 0, 176, 87, 120, 205, 176, 48, 24, 153, 249, 222,
        59, 72, 218, 165, 117, 110, 78, 191, 40, 219, 182, 109, 219, 182, 109, 219, 182, 109, 219, 182, 109, 219, 182,
        23, 255, 1, 184, 241, 155, 20, 16, 39, 0, 0,
    ]

    /// The beginning of a stream that goes on with any number of zero bytes, each of which stands for 1,032 more.
    static let bombHead: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 236, 193, 1, 1, 0, 0, 0, 128, 144, 254, 175, 238, 8, 10,
    ]

    /// ``tenThousandBytes`` in gzip coding once more.
    static let twice: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 147, 239, 230, 96, 0, 1, 38, 230, 183, 71, 55, 242, 50, 40, 112, 48, 108, 8,
        175, 56, 187, 193, 64, 98, 230, 207, 123, 214, 30, 183, 150, 150, 230, 249, 237, 215, 184, 189, 45, 23, 9, 137,
        255, 103, 220, 241, 113, 182, 136, 128, 58, 3, 3, 0, 225, 45, 58, 243, 62, 0, 0, 0,
    ]
}

/// "halcyon " 1,250 times, in other codings.
enum CodingFixture {
    /// RFC 9110, section 8.4.1.2: the zlib format.
    static let deflate: [UInt8] = [
        120, 218, 237, 197, 177, 13, 0, 32, 8, 0, 176, 87, 120, 205, 176, 48, 24, 153, 249, 222, 59, 72, 218, 165, 117,
        110, 78, 191, 40, 219, 182, 109, 219, 182, 109, 219, 182, 109, 219, 182, 109, 219, 182, 23, 255, 1, 232, 153,
        235, 47,
    ]
}
