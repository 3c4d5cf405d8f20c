#include "SixteenBitKernels.h"
#include "vectors.h"

// A pixel is one vector of four samples, which every processor here holds in half a register. Images of 16 bits are
// rare, so these loops are plain; the compiler widens them where the processor has the room.

typedef uint16_t u16x4 __attribute__((ext_vector_type(4)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x16 __attribute__((ext_vector_type(16)));

ALWAYS_INLINE u16x4 load(const void *pixels, size_t index) {
    u16x4 pixel;
    memcpy(&pixel, (const uint8_t *)pixels + index * sizeof pixel, sizeof pixel);
    return pixel;
}

ALWAYS_INLINE void store(u16x4 pixel, void *out, size_t index) {
    memcpy((uint8_t *)out + index * sizeof pixel, &pixel, sizeof pixel);
}

// Samples multiplied by factors and divided by 65535, rounded to nearest. Exact, and without overflow: the largest
// product, 65535², leaves 130,559 in 32 bits, more than what is added.
ALWAYS_INLINE u16x4 multiply_by_65535ths(u16x4 samples, u16x4 factors) {
    const u32x4 product = __builtin_convertvector(samples, u32x4) * __builtin_convertvector(factors, u32x4) + 32768;
    return __builtin_convertvector((product + (product >> 16)) >> 16, u16x4);
}

// MARK: Resampling

HALCYON_CLONES
void halcyon_sum_rows_16(
    const void *rows, ptrdiff_t bytes_per_row, const float *weights, size_t taps, float *out, size_t count) {
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const uint8_t *row = (const uint8_t *)rows + i * 2;
        f32x16 sum = 0;
        for (size_t k = 0; k < taps; k++, row += bytes_per_row) {
            u16x16 samples;
            memcpy(&samples, row, sizeof samples);
            sum += __builtin_convertvector(samples, f32x16) * (f32x16)weights[k];
        }
        memcpy(out + i, &sum, sizeof sum);
    }
    for (; i < count; i++) {
        const uint8_t *row = (const uint8_t *)rows + i * 2;
        float sum = 0;
        for (size_t k = 0; k < taps; k++, row += bytes_per_row) {
            uint16_t sample;
            memcpy(&sample, row, sizeof sample);
            sum += (float)sample * weights[k];
        }
        out[i] = sum;
    }
}

HALCYON_CLONES
void halcyon_sum_pixels_16(
    const float *source, const int32_t *starts, const float *weights, size_t taps, void *out, size_t count) {
    for (size_t o = 0; o < count; o++, weights += taps) {
        const float *pixel = source + (size_t)starts[o] * 4;
        f32x4 sum = 0;
        for (size_t k = 0; k < taps; k++, pixel += 4) {
            f32x4 samples;
            memcpy(&samples, pixel, sizeof samples);
            sum += samples * (f32x4)weights[k];
        }
        sum = __builtin_elementwise_min(__builtin_elementwise_max(sum, (f32x4)0.0f), (f32x4)65535.0f);
        // Filters with negative lobes can lift a colour above its alpha, where it has no meaning.
        sum = __builtin_elementwise_min(sum, (f32x4)sum.w);
        store(__builtin_convertvector(__builtin_convertvector(sum + 0.5f, i32x4), u16x4), out, o);
    }
}

void halcyon_gather_pixels_16(const void *source, const int32_t *columns, void *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        store(load(source, (size_t)columns[i]), out, i);
    }
}

// MARK: Orientation

void halcyon_reverse_pixels_16(const void *source, void *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        store(load(source, count - 1 - i), out, i);
    }
}

void halcyon_transpose_pixels_16(
    const void *source, ptrdiff_t source_bytes_per_row, void *out, ptrdiff_t out_bytes_per_row, size_t width,
    size_t height) {
    // Blocks of 8 × 8 pixels, whose rows and columns are whole cache lines of 64 bytes.
    const size_t side = 8;
    for (size_t top = 0; top < height; top += side) {
        const size_t bottom = top + side < height ? top + side : height;
        for (size_t left = 0; left < width; left += side) {
            const size_t right = left + side < width ? left + side : width;
            for (size_t y = top; y < bottom; y++) {
                const uint8_t *from = (const uint8_t *)source + (ptrdiff_t)y * source_bytes_per_row;
                for (size_t x = left; x < right; x++) {
                    store(load(from, x), (uint8_t *)out + (ptrdiff_t)x * out_bytes_per_row, y);
                }
            }
        }
    }
}

// MARK: Compositing

HALCYON_CLONES
void halcyon_source_over_16(const void *source, void *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const u16x4 above = load(source, i);
        const u16x4 rest = multiply_by_65535ths(load(out, i), ~above.wwww);
        // Saturating, in case a caller's pixels have colours above their alpha.
        store(__builtin_elementwise_add_sat(above, rest), out, i);
    }
}

HALCYON_CLONES
void halcyon_multiply_by_coverage_16(void *pixels, const uint16_t *coverage, size_t count) {
    for (size_t i = 0; i < count; i++) {
        store(multiply_by_65535ths(load(pixels, i), (u16x4)coverage[i]), pixels, i);
    }
}

void halcyon_fill_pixels_16(void *out, const void *pixel, size_t count) {
    const u16x4 value = load(pixel, 0);
    for (size_t i = 0; i < count; i++) {
        store(value, out, i);
    }
}

// MARK: Conversion

HALCYON_CLONES
bool halcyon_premultiply_16(const void *straight, void *out, size_t count) {
    uint16_t all = 0xFFFF;
    for (size_t i = 0; i < count; i++) {
        const u16x4 pixel = load(straight, i);
        u16x4 factors = pixel.wwww;
        factors.w = 0xFFFF;
        all &= pixel.w;
        store(multiply_by_65535ths(pixel, factors), out, i);
    }
    return all == 0xFFFF;
}

void halcyon_unpremultiply_16(const void *pixels, void *straight, size_t count) {
    for (size_t i = 0; i < count; i++) {
        u16x4 pixel = load(pixels, i);
        const uint32_t alpha = pixel.w;
        if (alpha == 0) {
            pixel = 0;
        } else if (alpha != 0xFFFF) {
            // The largest dividend, 65535² + 32767, fits 32 bits.
            const u32x4 quotient = (__builtin_convertvector(pixel, u32x4) * 65535 + alpha / 2) / alpha;
            pixel = __builtin_convertvector(__builtin_elementwise_min(quotient, (u32x4)65535), u16x4);
            pixel.w = (uint16_t)alpha;
        }
        store(pixel, straight, i);
    }
}

HALCYON_CLONES
bool halcyon_is_opaque_16(const void *pixels, size_t count) {
    size_t i = 0;
    while (i < count) {
        // 512 pixels, 4 KiB, between two looks at what was gathered.
        const size_t end = count - i < 512 ? count : i + 512;
        u16x4 all = 0xFFFF;
        for (; i < end; i++) {
            all &= load(pixels, i);
        }
        if (all.w != 0xFFFF) {
            return false;
        }
    }
    return true;
}

HALCYON_CLONES
void halcyon_narrow_samples(const void *source, uint8_t *out, size_t count) {
    // round(v / 257) for all 16-bit v: 255 * v / 65535, with an addend that makes up for dividing by 65536.
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        u16x16 samples;
        memcpy(&samples, (const uint8_t *)source + i * 2, sizeof samples);
        const u8x16 narrow =
            __builtin_convertvector((__builtin_convertvector(samples, u32x16) * 255 + 32895) >> 16, u8x16);
        memcpy(out + i, &narrow, sizeof narrow);
    }
    for (; i < count; i++) {
        uint16_t sample;
        memcpy(&sample, (const uint8_t *)source + i * 2, sizeof sample);
        out[i] = (uint8_t)((sample * 255u + 32895) >> 16);
    }
}

HALCYON_CLONES
void halcyon_widen_samples(const uint8_t *source, void *out, size_t count) {
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        u8x16 samples;
        memcpy(&samples, source + i, sizeof samples);
        const u16x16 wide = __builtin_convertvector(samples, u16x16) * 257;
        memcpy((uint8_t *)out + i * 2, &wide, sizeof wide);
    }
    for (; i < count; i++) {
        const uint16_t wide = (uint16_t)(source[i] * 257);
        memcpy((uint8_t *)out + i * 2, &wide, sizeof wide);
    }
}

HALCYON_CLONES
void halcyon_swap_sample_bytes(const void *source, void *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint16_t sample;
        memcpy(&sample, (const uint8_t *)source + i * 2, sizeof sample);
        sample = (uint16_t)(sample << 8 | sample >> 8);
        memcpy((uint8_t *)out + i * 2, &sample, sizeof sample);
    }
}
