#include "vectors.h"
#include "ResamplingVariants.h"

#if defined(__x86_64__)

// The compiler does not see that `madd` does two taps at once when their samples alternate; code like the portable one
// takes 1.4 times as long with AVX2. Builtins and vector operators, not the functions of immintrin.h: those are
// real copies in a debug build, which made a resize 10 times slower there.

typedef int16_t i16x32 __attribute__((ext_vector_type(32)));
typedef int32_t i32x2 __attribute__((ext_vector_type(2)));
typedef int32_t i32x8 __attribute__((ext_vector_type(8)));
typedef int64_t i64x4 __attribute__((ext_vector_type(4)));
typedef int64_t i64x8 __attribute__((ext_vector_type(8)));
typedef uint8_t u8x64 __attribute__((ext_vector_type(64)));
typedef int16_t i16x8 __attribute__((ext_vector_type(8)));

bool halcyon_has_avx2(void) { return __builtin_cpu_supports("avx2"); }

// Lanes b to b + 7 of two vectors of n lanes, alternating.
#define ALTERNATE(b, n) \
    b, n + b, b + 1, n + b + 1, b + 2, n + b + 2, b + 3, n + b + 3, b + 4, n + b + 4, b + 5, n + b + 5, b + 6, \
        n + b + 6, b + 7, n + b + 7
#define LOW_256(x, y) __builtin_shufflevector(x, y, ALTERNATE(0, 32), ALTERNATE(16, 32))
#define HIGH_256(x, y) __builtin_shufflevector(x, y, ALTERNATE(8, 32), ALTERNATE(24, 32))
#define LOW_512(x, y) \
    __builtin_shufflevector(x, y, ALTERNATE(0, 64), ALTERNATE(16, 64), ALTERNATE(32, 64), ALTERNATE(48, 64))
#define HIGH_512(x, y) \
    __builtin_shufflevector(x, y, ALTERNATE(8, 64), ALTERNATE(24, 64), ALTERNATE(40, 64), ALTERNATE(56, 64))

// Two weights side by side, for vectors of pairs.
ALWAYS_INLINE int32_t pair(int16_t first, int16_t second) {
    return (int32_t)((uint32_t)(uint16_t)first | (uint32_t)(uint16_t)second << 16);
}

// Each half of an unpacked pair of rows is unpacked again with zero, which widens the samples to 16 bits.
#define STEP_256(first, second, weight)                                                                   \
    do {                                                                                                  \
        const u8x32 low = LOW_256(first, second), high = HIGH_256(first, second);                         \
        const i16x16 weights_ = (i16x16)(i32x8)(weight);                                                  \
        a += (i32x8)__builtin_ia32_pmaddwd256((i16x16)LOW_256(low, zero), weights_);                      \
        b += (i32x8)__builtin_ia32_pmaddwd256((i16x16)HIGH_256(low, zero), weights_);                     \
        c += (i32x8)__builtin_ia32_pmaddwd256((i16x16)LOW_256(high, zero), weights_);                     \
        d += (i32x8)__builtin_ia32_pmaddwd256((i16x16)HIGH_256(high, zero), weights_);                    \
    } while (0)

#define STEP_512(first, second, weight)                                                                   \
    do {                                                                                                  \
        const u8x64 low = LOW_512(first, second), high = HIGH_512(first, second);                         \
        const i16x32 weights_ = (i16x32)(i32x16)(weight);                                                 \
        a += (i32x16)__builtin_ia32_pmaddwd512((i16x32)LOW_512(low, zero), weights_);                     \
        b += (i32x16)__builtin_ia32_pmaddwd512((i16x32)HIGH_512(low, zero), weights_);                    \
        c += (i32x16)__builtin_ia32_pmaddwd512((i16x32)LOW_512(high, zero), weights_);                    \
        d += (i32x16)__builtin_ia32_pmaddwd512((i16x32)HIGH_512(high, zero), weights_);                   \
    } while (0)

__attribute__((target("avx2")))
void halcyon_sum_rows_avx2(
    const uint8_t *rows, ptrdiff_t bytes_per_row, const int16_t *weights, size_t taps, int shift, int16_t *out,
    size_t count) {
    const u8x32 zero = 0;
    size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        const uint8_t *row = rows + i;
        i32x8 a = 1 << (shift - 1), b = a, c = a, d = a;
        u8x32 first, second;
        size_t k = 0;
        for (; k + 2 <= taps; k += 2, row += 2 * bytes_per_row) {
            memcpy(&first, row, sizeof first);
            memcpy(&second, row + bytes_per_row, sizeof second);
            STEP_256(first, second, pair(weights[k], weights[k + 1]));
        }
        if (k < taps) {
            memcpy(&first, row, sizeof first);
            STEP_256(first, zero, pair(weights[k], 0));
        }
        // Packing undoes the unpacking, except for the order of the 128-bit parts.
        const i64x4 low = (i64x4)__builtin_ia32_packssdw256(a >> shift, b >> shift);
        const i64x4 high = (i64x4)__builtin_ia32_packssdw256(c >> shift, d >> shift);
        const i64x4 ordered[2] = {
            __builtin_shufflevector(low, high, 0, 1, 4, 5), __builtin_shufflevector(low, high, 2, 3, 6, 7)};
        memcpy(out + i, ordered, sizeof ordered);
    }
    halcyon_sum_rows_portable(rows + i, bytes_per_row, weights, taps, shift, out + i, count - i);
}

__attribute__((target("avx512bw,avx512vl,avx2"), min_vector_width(512)))
void halcyon_sum_rows_avx512(
    const uint8_t *rows, ptrdiff_t bytes_per_row, const int16_t *weights, size_t taps, int shift, int16_t *out,
    size_t count) {
    const u8x64 zero = 0;
    size_t i = 0;
    for (; i + 64 <= count; i += 64) {
        const uint8_t *row = rows + i;
        i32x16 a = 1 << (shift - 1), b = a, c = a, d = a;
        u8x64 first, second;
        size_t k = 0;
        for (; k + 2 <= taps; k += 2, row += 2 * bytes_per_row) {
            memcpy(&first, row, sizeof first);
            memcpy(&second, row + bytes_per_row, sizeof second);
            STEP_512(first, second, pair(weights[k], weights[k + 1]));
        }
        if (k < taps) {
            memcpy(&first, row, sizeof first);
            STEP_512(first, zero, pair(weights[k], 0));
        }
        const i64x8 low = (i64x8)__builtin_ia32_packssdw512(a >> shift, b >> shift);
        const i64x8 high = (i64x8)__builtin_ia32_packssdw512(c >> shift, d >> shift);
        const i64x8 ordered[2] = {
            __builtin_shufflevector(low, high, 0, 1, 8, 9, 2, 3, 10, 11),
            __builtin_shufflevector(low, high, 4, 5, 12, 13, 6, 7, 14, 15)};
        memcpy(out + i, ordered, sizeof ordered);
    }
    halcyon_sum_rows_avx2(rows + i, bytes_per_row, weights, taps, shift, out + i, count - i);
}

__attribute__((target("avx2")))
void halcyon_sum_pixels_avx2(
    const int16_t *source, const int32_t *starts, const int16_t *weights, size_t taps, int shift, uint8_t *out,
    size_t count) {
    const i32x4 half = 1 << (shift - 1);
    for (size_t o = 0; o < count; o++, weights += taps, out += 4) {
        const int16_t *pixel = source + (size_t)starts[o] * 4;
        i32x8 sums = 0;
        for (size_t k = 0; k < taps; k += 4, pixel += 16) {
            i16x16 four;
            i32x2 weight;
            memcpy(&four, pixel, sizeof four);
            memcpy(&weight, weights + k, sizeof weight);
            // Pixels 0 and 1 alternate in the lower half, 2 and 3 in the upper.
            four = __builtin_shufflevector(four, four, 0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
            const i32x8 spread = __builtin_shufflevector(weight, weight, 0, 0, 0, 0, 1, 1, 1, 1);
            sums += (i32x8)__builtin_ia32_pmaddwd256(four, (i16x16)spread);
        }
        const i32x4 sum = (sums.lo + sums.hi + half) >> shift;
        // Both packings saturate, to 0...255 in effect.
        const i16x8 packed = __builtin_ia32_packssdw128(sum, sum);
        const u8x16 samples = (u8x16)__builtin_ia32_packuswb128(packed, packed);
        // Filters with negative lobes can lift a colour above its alpha, where it has no meaning.
        const u8x16 limited = __builtin_elementwise_min(
            samples, __builtin_shufflevector(samples, samples, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3));
        memcpy(out, &limited, 4);
    }
}

#endif
