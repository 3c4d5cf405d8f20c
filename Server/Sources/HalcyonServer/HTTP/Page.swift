internal import Hummingbird
internal import ServerURLs

extension ImageServer {
    /// Returns a part of the page with which a person tries images.
    func page(_ path: String, _ request: Request) -> Answer {
        switch path {
        case "/page/sign": return sign(request)
        case "/page.js": return part(Page.script, type: "text/javascript; charset=utf-8")
        case "/page.css": return part(Page.style, type: "text/css; charset=utf-8")
        default:
            let samples = settings.samples.map { "<option value=\"\(Page.escaped($0))\">\(Page.escaped($0))</option>" }
                .joined()
            return part(Page.document.replacing("{samples}", with: samples), type: "text/html; charset=utf-8")
        }
    }

    private func part(_ text: String, type: String) -> Answer {
        var response = Response.text(text, type: type, caching: "no-cache")
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
            + "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
        return Answer("page", response)
    }

    /// Returns the path of a URL: signed for sample sources alone. Where unsigned URLs are answered, the others are
    /// unsigned.
    private func sign(_ request: Request) -> Answer {
        let query = request.uri.queryParameters
        guard let source = query["source"].map(String.init), !source.isEmpty else {
            return failure("page", 400, "A source is missing.")
        }
        let options = query["options"].map { $0.split(separator: "/").map(String.init) } ?? []
        let url: HalcyonURL
        do {
            url = try HalcyonURL(options: options, source: source)
        } catch {
            return failure("page", error.status, error.description)
        }
        let prefix = settings.rootDialect == .halcyon ? "" : "/halcyon"
        guard settings.samples.contains(source) else {
            guard settings.urls.allowsUnsigned else {
                return failure("page", 403, "Only URLs of the samples are signed here.")
            }
            return Answer("page", .text(prefix + url.path(signedBy: SigningKeys()), caching: "no-store"))
        }
        return Answer("page", .text(prefix + url.path(signedBy: settings.urls.keys), caching: "no-store"))
    }
}

/// The page: one document, one script and one style, without anything from elsewhere.
enum Page {
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }

    static let document = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>halcyon-server</title>
        <link rel="stylesheet" href="/page.css">
        <script type="module" src="/page.js"></script>
        </head>
        <body>
        <main>
        <form id="options" aria-label="Options">
        <h1>halcyon-server</h1>
        <label>Source <input id="source" name="source" list="samples" autocomplete="off" spellcheck="false"></label>
        <datalist id="samples">{samples}</datalist>
        <label>Width <output for="width"></output><input type="range" id="width" min="16" max="1600" value="640"></label>
        <label>Height <output for="height"></output><input type="range" id="height" min="0" max="1600" value="0"></label>
        <label>Quality <output for="quality"></output><input type="range" id="quality" min="1" max="100" value="75"></label>
        <label>Blur <output for="blur"></output><input type="range" id="blur" min="0" max="40" step="0.5" value="0"></label>
        <label>Round corners <output for="round"></output><input type="range" id="round" min="0" max="200" value="0"></label>
        <label>Fit <select id="fit"><option>fit</option><option>fill</option><option>stretch</option><option>pad</option></select></label>
        <label>Gravity <select id="gravity"><option>center</option><option>smart</option><option>top</option><option>bottom</option>\
        <option>left</option><option>right</option></select></label>
        <label>Format <select id="format"><option>auto</option><option>avif</option><option>webp</option><option>jpeg</option>\
        <option>png</option></select></label>
        <label class="check"><input type="checkbox" id="grayscale"> Grayscale</label>
        </form>
        <section aria-label="Result">
        <figure><img id="image" alt="The image as it is sent"></figure>
        <p id="facts" role="status" aria-live="polite">Loading</p>
        <p class="url"><a id="url" href="/">URL</a> <button type="button" id="copy">Copy</button></p>
        </section>
        </main>
        </body>
        </html>

        """

    static let style = """
        :root { color-scheme: light dark; --edge: color-mix(in srgb, currentColor 20%, transparent); font: 16px/1.5 system-ui, sans-serif; }
        body { margin: 0; background: Canvas; color: CanvasText; }
        main { display: grid; grid-template-columns: minmax(16rem, 20rem) 1fr; gap: 2rem; padding: 1.5rem; box-sizing: border-box; }
        h1 { font-size: 1.1rem; margin: 0 0 1rem; }
        label { display: block; margin: 0 0 .8rem; }
        label.check { display: flex; gap: .5rem; align-items: center; }
        label input:not([type=checkbox]), label select { display: block; width: 100%; box-sizing: border-box; font: inherit; margin-top: .2rem; }
        output { float: right; font-variant-numeric: tabular-nums; opacity: .8; }
        :focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
        figure { margin: 0; min-height: 12rem; display: grid; place-items: center; border: 1px solid var(--edge); border-radius: .5rem; \
        background: repeating-conic-gradient(color-mix(in srgb, currentColor 8%, transparent) 0 25%, transparent 0 50%) 0 0/24px 24px; }
        img { max-width: 100%; height: auto; display: block; }
        #facts { font-variant-numeric: tabular-nums; }
        .url { overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-size: .85rem; }
        @media (max-width: 44rem) { main { grid-template-columns: 1fr; } }

        """

    static let script = """
        const get = id => document.getElementById(id);
        const ranges = ["width", "height", "quality", "blur", "round"];
        let number = 0, shown = null;

        function options() {
          const list = [`w:${get("width").value}`, `q:${get("quality").value}`, `fit:${get("fit").value}`];
          if (get("height").value > 0) list.push(`h:${get("height").value}`);
          if (get("gravity").value !== "center") list.push(`g:${get("gravity").value}`);
          if (get("blur").value > 0) list.push(`blur:${get("blur").value}`);
          if (get("round").value > 0) list.push(`round:${get("round").value}`);
          if (get("format").value !== "auto") list.push(`f:${get("format").value}`);
          if (get("grayscale").checked) list.push("grayscale");
          return list;
        }

        async function show() {
          const own = ++number;
          for (const id of ranges) document.querySelector(`output[for=${id}]`).value = get(id).value;
          const query = `options=${encodeURIComponent(options().join("/"))}&source=${encodeURIComponent(get("source").value)}`;
          const signed = await fetch("/page/sign?" + query);
          const path = await signed.text();
          if (own !== number) return;
          if (!signed.ok) { get("facts").textContent = path; return; }
          const start = performance.now();
          const response = await fetch(path, { headers: { Accept: "image/avif,image/webp,*/*" } });
          const body = await response.blob();
          if (own !== number) return;
          const time = (performance.now() - start).toFixed(0);
          const kind = response.headers.get("Content-Type");
          get("url").href = path;
          get("url").textContent = location.origin + path;
          if (!response.ok && !kind.startsWith("image/")) { get("facts").textContent = `${response.status}: ${await body.text()}`; return; }
          if (shown) URL.revokeObjectURL(shown);
          shown = URL.createObjectURL(body);
          get("image").src = shown;
          await get("image").decode().catch(() => {});
          const size = `${get("image").naturalWidth} × ${get("image").naturalHeight}`;
          get("facts").textContent = `${size} pixels, ${body.size.toLocaleString("en")} bytes, ${kind}, ${time} ms`;
        }

        get("source").value = document.querySelector("#samples option")?.value ?? "";
        get("options").addEventListener("input", show);
        get("options").addEventListener("submit", event => event.preventDefault());
        get("copy").addEventListener("click", () => navigator.clipboard.writeText(get("url").textContent));
        show();

        """
}
