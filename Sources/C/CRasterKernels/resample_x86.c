#include "vectors.h"
#include "ResamplingVariants.h"

#if defined(__x86_64__)

// The compiler does not see that `madd` does two taps at once when their samples alternate; code like the portable one
// takes 1.4 times as long with AVX2. Builtins and vector operators, not the functions of immintrin.h: those are
// real copies in a debug build, which made a resize 10 times slower there.

typedef int32_t i32x8 __attribute__((ext_vector_type(8)));
typedef uint8_t u8x64 __attribute__((ext_vector_type(64)));

bool halcyon_has_avx2(void) { return __builtin_cpu_supports("avx2"); }

// Processors with VNNI are those that run 512-bit code without lowering their clock much.
bool halcyon_prefers_avx512(void) {
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vnni");
}

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

// Unpacking has put neighbouring pixels into the same lanes of two vectors; they become the halves of these lanes.
#define WOVEN_256(first, second)                                                                              \
    __builtin_shufflevector(                                                                                  \
        (i16x16)(first), (i16x16)(second), 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define WOVEN_512(first, second)                                                                              \
    __builtin_shufflevector(                                                                                  \
        (i16x32)(first), (i16x32)(second), 0, 32, 2, 34, 4, 36, 6, 38, 8, 40, 10, 42, 12, 44, 14, 46, 16, 48, \
        18, 50, 20, 52, 22, 54, 24, 56, 26, 58, 28, 60, 30, 62)

// The 128 bits of a pair of pixels.
#define STORE_PAIR(out, vector, index)                                                                        \
    do {                                                                                                      \
        const i16x8 pair_ = __builtin_shufflevector(                                                          \
            vector, vector, 8 * (index), 8 * (index) + 1, 8 * (index) + 2, 8 * (index) + 3, 8 * (index) + 4,  \
            8 * (index) + 5, 8 * (index) + 6, 8 * (index) + 7);                                               \
        memcpy(out, &pair_, sizeof pair_);                                                                    \
    } while (0)

__attribute__((target("avx2")))
void halcyon_sum_rows_avx2(
    const uint8_t *rows, ptrdiff_t bytes_per_row, const int16_t *weights, size_t taps, int shift, int16_t *out,
    size_t count) {
    const u8x32 zero = 0;
    size_t i = 0;
    for (; i + 8 <= count; i += 8, rows += 32, out += 4 * HALCYON_WOVEN_PAIR) {
        const uint8_t *row = rows;
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
        const i16x16 even = WOVEN_256(a >> shift, b >> shift), odd = WOVEN_256(c >> shift, d >> shift);
        STORE_PAIR(out, even, 0);
        STORE_PAIR(out + HALCYON_WOVEN_PAIR, odd, 0);
        STORE_PAIR(out + 2 * HALCYON_WOVEN_PAIR, even, 1);
        STORE_PAIR(out + 3 * HALCYON_WOVEN_PAIR, odd, 1);
    }
    halcyon_sum_rows_portable(rows, bytes_per_row, weights, taps, shift, out, count - i);
}

__attribute__((target("avx512bw,avx512vl,avx2"), min_vector_width(512)))
void halcyon_sum_rows_avx512(
    const uint8_t *rows, ptrdiff_t bytes_per_row, const int16_t *weights, size_t taps, int shift, int16_t *out,
    size_t count) {
    const u8x64 zero = 0;
    size_t i = 0;
    for (; i + 16 <= count; i += 16, rows += 64, out += 8 * HALCYON_WOVEN_PAIR) {
        const uint8_t *row = rows;
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
        const i16x32 even = WOVEN_512(a >> shift, b >> shift), odd = WOVEN_512(c >> shift, d >> shift);
        STORE_PAIR(out, even, 0);
        STORE_PAIR(out + HALCYON_WOVEN_PAIR, odd, 0);
        STORE_PAIR(out + 2 * HALCYON_WOVEN_PAIR, even, 1);
        STORE_PAIR(out + 3 * HALCYON_WOVEN_PAIR, odd, 1);
        STORE_PAIR(out + 4 * HALCYON_WOVEN_PAIR, even, 2);
        STORE_PAIR(out + 5 * HALCYON_WOVEN_PAIR, odd, 2);
        STORE_PAIR(out + 6 * HALCYON_WOVEN_PAIR, even, 3);
        STORE_PAIR(out + 7 * HALCYON_WOVEN_PAIR, odd, 3);
    }
    halcyon_sum_rows_avx2(rows, bytes_per_row, weights, taps, shift, out, count - i);
}

// Colours limited to their alpha, as in the portable variant.
#define ALPHAS_256 \
    3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15, 19, 19, 19, 19, 23, 23, 23, 23, 27, 27, 27, 27, 31, 31, \
        31, 31
#define ALPHAS_512 \
    ALPHAS_256, 35, 35, 35, 35, 39, 39, 39, 39, 43, 43, 43, 43, 47, 47, 47, 47, 51, 51, 51, 51, 55, 55, 55, 55, 59, \
        59, 59, 59, 63, 63, 63, 63
#define LIMITED(pixels, alphas) __builtin_elementwise_min(pixels, __builtin_shufflevector(pixels, pixels, alphas))

// Four pixels of each of up to four rows.
ALWAYS_INLINE void store_rows(const u8x16 *rows, uint8_t *out, ptrdiff_t out_bytes_per_row, size_t row_count) {
    memcpy(out, &rows[0], sizeof rows[0]);
    if (row_count > 1) {
        memcpy(out + out_bytes_per_row, &rows[1], sizeof rows[1]);
    }
    if (row_count > 2) {
        memcpy(out + 2 * out_bytes_per_row, &rows[2], sizeof rows[2]);
    }
    if (row_count > 3) {
        memcpy(out + 3 * out_bytes_per_row, &rows[3], sizeof rows[3]);
    }
}

// Adds two taps of one pixel: `pair` are two source pixels of all rows, `weight` is the address of their weights.
#define ADD_TAPS_512(sum, pair, weight)                                                                       \
    do {                                                                                                      \
        i16x32 samples_;                                                                                      \
        int32_t weight_;                                                                                      \
        memcpy(&samples_, pair, sizeof samples_);                                                             \
        memcpy(&weight_, weight, sizeof weight_);                                                             \
        sum += (i32x16)__builtin_ia32_pmaddwd512(samples_, (i16x32)(i32x16)weight_);                          \
    } while (0)

#define ADD_TAPS_256(upper, lower, pair, weight)                                                              \
    do {                                                                                                      \
        i16x16 samples_[2];                                                                                   \
        int32_t weight_;                                                                                      \
        memcpy(samples_, pair, sizeof samples_);                                                              \
        memcpy(&weight_, weight, sizeof weight_);                                                             \
        upper += (i32x8)__builtin_ia32_pmaddwd256(samples_[0], (i16x16)(i32x8)weight_);                       \
        lower += (i32x8)__builtin_ia32_pmaddwd256(samples_[1], (i16x16)(i32x8)weight_);                       \
    } while (0)

#define PAIR(source, start) ((source) + (size_t)((uint32_t)(start) / 2) * HALCYON_WOVEN_PAIR)

// Packing saturates to 0...255, and leaves the samples of a row in its 128 bits: so four pixels at a time, where it
// also makes whole vectors.

__attribute__((target("avx2")))
void halcyon_sum_pixels_avx2(
    const int16_t *source, const int32_t *starts, const int16_t *weights, size_t taps, int shift, uint8_t *out,
    ptrdiff_t out_bytes_per_row, size_t row_count, size_t count) {
    size_t o = 0;
    for (; o + 4 <= count; o += 4, out += 16) {
        i16x16 packed[4];
        for (size_t p = 0; p < 4; p += 2) {
            const int16_t *first = PAIR(source, starts[o + p]), *second = PAIR(source, starts[o + p + 1]);
            i32x8 a = 1 << (shift - 1), b = a, c = a, d = a;
            for (size_t k = 0; k < taps; k += 2, weights += 2) {
                ADD_TAPS_256(a, b, first, weights);
                ADD_TAPS_256(c, d, second, weights + taps);
                first += HALCYON_WOVEN_PAIR;
                second += HALCYON_WOVEN_PAIR;
            }
            weights += taps;
            packed[p / 2] = __builtin_ia32_packssdw256(a >> shift, c >> shift);
            packed[p / 2 + 2] = __builtin_ia32_packssdw256(b >> shift, d >> shift);
        }
        const u8x32 upper = (u8x32)__builtin_ia32_packuswb256(packed[0], packed[1]);
        const u8x32 lower = (u8x32)__builtin_ia32_packuswb256(packed[2], packed[3]);
        const u8x32 limited[2] = {LIMITED(upper, ALPHAS_256), LIMITED(lower, ALPHAS_256)};
        u8x16 rows[4];
        memcpy(rows, limited, sizeof rows);
        store_rows(rows, out, out_bytes_per_row, row_count);
    }
    halcyon_sum_pixels_portable(
        source, starts + o, weights, taps, shift, out, out_bytes_per_row, row_count, count - o);
}

__attribute__((target("avx512bw,avx512vl,avx2"), min_vector_width(512)))
void halcyon_sum_pixels_avx512(
    const int16_t *source, const int32_t *starts, const int16_t *weights, size_t taps, int shift, uint8_t *out,
    ptrdiff_t out_bytes_per_row, size_t row_count, size_t count) {
    size_t o = 0;
    for (; o + 4 <= count; o += 4, out += 16, weights += 3 * taps) {
        const int16_t *first = PAIR(source, starts[o]), *second = PAIR(source, starts[o + 1]);
        const int16_t *third = PAIR(source, starts[o + 2]), *fourth = PAIR(source, starts[o + 3]);
        i32x16 a = 1 << (shift - 1), b = a, c = a, d = a;
        for (size_t k = 0; k < taps; k += 2, weights += 2) {
            ADD_TAPS_512(a, first, weights);
            ADD_TAPS_512(b, second, weights + taps);
            ADD_TAPS_512(c, third, weights + 2 * taps);
            ADD_TAPS_512(d, fourth, weights + 3 * taps);
            first += HALCYON_WOVEN_PAIR;
            second += HALCYON_WOVEN_PAIR;
            third += HALCYON_WOVEN_PAIR;
            fourth += HALCYON_WOVEN_PAIR;
        }
        const i16x32 low = __builtin_ia32_packssdw512(a >> shift, b >> shift);
        const i16x32 high = __builtin_ia32_packssdw512(c >> shift, d >> shift);
        const u8x64 packed = (u8x64)__builtin_ia32_packuswb512(low, high);
        const u8x64 limited = LIMITED(packed, ALPHAS_512);
        u8x16 rows[4];
        memcpy(rows, &limited, sizeof rows);
        store_rows(rows, out, out_bytes_per_row, row_count);
    }
    halcyon_sum_pixels_portable(
        source, starts + o, weights, taps, shift, out, out_bytes_per_row, row_count, count - o);
}

#endif
