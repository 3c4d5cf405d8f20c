internal import Glibc
internal import HTTPTypes
internal import HalcyonSystem

extension OriginServer {
    /// Serves the files of a folder as web servers do, with `Content-Type`, `Content-Length`, `ETag` and
    /// `Last-Modified`; answers `HEAD` and `If-None-Match`. Never leaves the folder through "..".
    public static func files(in folder: String) -> Handler {
        { request in
            guard request.method == "GET" || request.method == "HEAD" else { return Response(405) }
            let target = request.path.prefix { $0 != "?" }
            guard let path = PercentEncoding.strictlyDecoded(target), path.hasPrefix("/"), !path.utf8.contains(0),
                !path.split(separator: "/").contains("..")
            else { return Response(400) }

            let file = folder + path
            var information = stat()
            guard stat(file, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return Response(404) }
            let modified = Int(information.st_mtim.tv_sec)
            let parts = [Int(information.st_size), modified, Int(information.st_mtim.tv_nsec)]
            let tag = "\"" + parts.map { String($0, radix: 16) }.joined(separator: "-") + "\""
            var headers: HTTPFields = [.eTag: tag, .lastModified: httpDate(modified)]
            if request.headers[.ifNoneMatch] == tag { return Response(304, headers: headers) }

            headers[.contentType] = contentType(of: path)
            headers[.contentLength] = String(information.st_size)
            var steps: [Response.Step] = [.bytes(Response.head(200, headers: headers))]
            if request.method == "GET" { steps.append(.file(path: file, byteCount: Int(information.st_size))) }
            return Response(steps: steps)
        }
    }

    /// Returns a date in the form of RFC 9110, section 5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT".
    static func httpDate(_ secondsSince1970: Int) -> String {
        var time = time_t(secondsSince1970)
        var parts = tm()
        guard gmtime_r(&time, &parts) != nil else { return "Thu, 01 Jan 1970 00:00:00 GMT" }
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
        return
            "\(days[Int(parts.tm_wday)]), \(date) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }

    private static func contentType(of path: String) -> String {
        switch path.split(separator: ".").last?.lowercased() {
        case "jpg", "jpeg": "image/jpeg"
        case "png", "apng": "image/png"
        case "gif": "image/gif"
        case "webp": "image/webp"
        case "avif": "image/avif"
        case "heic", "heif": "image/heic"
        case "jxl": "image/jxl"
        case "tif", "tiff": "image/tiff"
        case "bmp": "image/bmp"
        case "ico": "image/x-icon"
        case "svg": "image/svg+xml"
        case "html": "text/html; charset=utf-8"
        case "txt": "text/plain; charset=utf-8"
        case "json": "application/json"
        default: "application/octet-stream"
        }
    }
}
