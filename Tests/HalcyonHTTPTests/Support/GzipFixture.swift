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
}
