/// Pillow, doing a ``ColorWork`` as often as a line says. Its images are random, which makes no difference to it.
enum PillowColors {
    static let source = """
        import os, sys
        import PIL
        from PIL import Image, ImageChops

        work, width, height = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
        size = (width, height)
        image = Image.frombytes("RGBA", size, os.urandom(width * height * 4))
        other = Image.frombytes("RGBA", size, os.urandom(width * height * 4))
        opaque = image.convert("RGB")
        black = Image.new("RGBA", size, (0, 0, 0, 255))
        sepia = (0.393, 0.769, 0.189, 0, 0.349, 0.686, 0.168, 0, 0.272, 0.534, 0.131, 0)

        # Without alpha where Pillow knows no other way.
        operations = {
            "background": lambda: Image.alpha_composite(black, image),
            "sepia": lambda: opaque.convert("RGB", sepia),
            "multiply": lambda: ImageChops.multiply(image, other),
            "softLight": lambda: ImageChops.soft_light(image, other),
        }
        if work not in operations:
            print("failed Pillow has no such operation", flush=True)
            sys.exit()
        operation = operations[work]
        operation()
        print("ready Pillow", PIL.__version__, flush=True)
        for line in sys.stdin:
            for _ in range(int(line)):
                operation()
            print("done", flush=True)
        """
}
