/// Pillow in the conversation of ``PixelContenderCommand``.
enum PillowProgram {
    static let source = """
        import io, os, re, sys, threading, time
        import PIL
        from PIL import Image, ImageFilter, features

        def status(field):
            return int(re.search(field + r":\\s+(\\d+)", open("/proc/self/status").read()).group(1)) * 1024

        try:
            open("/proc/self/clear_refs", "w").write("5")
        except OSError:
            pass
        start = status("VmRSS")
        threads = int(sys.argv[1])
        path, format, width, height, kind = sys.argv[2:7]
        work = sys.argv[7:]
        data = open(path, "rb").read()
        size = (int(width), int(height))
        numbers = tuple(int(word) for word in work if word.isdigit())

        def thumbnail():
            image = Image.open(io.BytesIO(data))
            image.draft(None, (numbers[0] * 2, numbers[1] * 2))
            image.load()
            image.resize(numbers, Image.Resampling.LANCZOS)

        def decode():
            Image.open(io.BytesIO(data)).load()

        def frames():
            image = Image.open(io.BytesIO(data))
            for frame in range(image.n_frames):
                image.seek(frame)
                image.convert("RGBA")

        if kind == "raw":
            # Premultiplied already, so that resizing does not do it once more.
            image = Image.frombytes("RGBa", size, data)
            opaque = Image.frombytes("RGBA", size, data).convert("RGB")

        def resize():
            image.resize(numbers, Image.Resampling.LANCZOS)

        def filter():
            if work[1] == "blur":
                image.filter(ImageFilter.GaussianBlur(numbers[0]))
            else:
                image.filter(ImageFilter.UnsharpMask(numbers[0], 100, 0))

        def encode():
            target = io.BytesIO()
            options = {} if work[1] == "png" else {"quality": numbers[0]}
            opaque.save(target, work[1], **options)
            return target.tell()

        def geometry():
            if work[1] == "rotation":
                image.rotate(-30, Image.Resampling.BICUBIC, expand=True)
                return
            if work[1] == "crop":
                image.crop((100, 100, 1300, 1000))
                return
            if work[1] == "flip":
                image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
                return
            if work[1] == "corners":
                rounded = straight.copy()
                rounded.putalpha(ImageChops.multiply(rounded.getchannel("A"), corner_mask))
                return
            source = Image.open(io.BytesIO(data))
            source.draft(None, (800, 600))
            avatar = source.resize((400, 300), Image.Resampling.LANCZOS).crop((50, 0, 350, 300)).convert("RGBA")
            avatar.putalpha(avatar_mask)
            avatar.alpha_composite(avatar_border)

        if work[0] == "geometry":
            from PIL import ImageChops, ImageDraw
            if work[1] == "corners":
                straight = Image.frombytes("RGBA", size, data)
                corner_mask = Image.new("L", (size[0] * 4, size[1] * 4))
                ImageDraw.Draw(corner_mask).rounded_rectangle(
                    (0, 0, size[0] * 4 - 1, size[1] * 4 - 1), 160, fill=255)
                corner_mask = corner_mask.resize(size, Image.Resampling.BOX)
            # Drawn four times as large and reduced, since Pillow does not smooth edges.
            avatar_mask = Image.new("L", (1200, 1200))
            ImageDraw.Draw(avatar_mask).rounded_rectangle((0, 0, 1199, 1199), 80, fill=255)
            avatar_mask = avatar_mask.resize((300, 300), Image.Resampling.BOX)
            avatar_border = Image.new("RGBA", (1200, 1200))
            ImageDraw.Draw(avatar_border).rounded_rectangle((0, 0, 1199, 1199), 80, outline="white", width=16)
            avatar_border = avatar_border.resize((300, 300), Image.Resampling.BOX)

        operation = globals()[work[0]]

        try:
            operation()
        except Exception as error:
            print("failed", type(error).__name__, error, flush=True)
            sys.exit()
        print("ready Pillow", PIL.__version__, flush=True)
        for line in sys.stdin:
            count = int(line)
            byte_count = 0
            wall, processor = time.monotonic_ns(), time.process_time_ns()
            def loop():
                global byte_count
                for _ in range(count):
                    byte_count = operation() or 0
            workers = [threading.Thread(target=loop) for _ in range(threads)] if threads > 1 else []
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            if not workers:
                loop()
            wall, processor = time.monotonic_ns() - wall, time.process_time_ns() - processor
            print(wall, processor, status("VmHWM") - start, byte_count, flush=True)
        """
}
