#include "filters.h"

ALWAYS_INLINE u8x16 load_pixel(const uint8_t *bytes) {
    u32x4 value = {load_u32(bytes), 0, 0, 0};
    return (u8x16)value;
}

ALWAYS_INLINE uint32_t low_word(u8x16 pixel) {
    return ((u32x4)pixel)[0];
}

// Four pixels at a time: each takes what is to its left, then what is two to its left has gathered, then what came
// before the four.
ALWAYS_INLINE u8x16 add_left_4(u8x16 four, u8x16 left) {
    four += __builtin_shufflevector(
        four, (u8x16)0, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    four += __builtin_shufflevector(
        four, (u8x16)0, 16, 16, 16, 16, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7);
    return four + __builtin_shufflevector(left, left, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15);
}

ALWAYS_INLINE u8x16 add_left_3(u8x16 four, u8x16 left) {
    four += __builtin_shufflevector(
        four, (u8x16)0, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 16, 16, 16);
    four += __builtin_shufflevector(
        four, (u8x16)0, 16, 16, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 16, 16, 16, 16);
    return four + __builtin_shufflevector(left, left, 9, 10, 11, 9, 10, 11, 9, 10, 11, 9, 10, 11, 9, 10, 11, 9);
}

ALWAYS_INLINE void sub_pixels(uint8_t *row, size_t byte_count, size_t bytes_per_pixel) {
    u8x16 left = 0;
    size_t i = 0;
    for (; i + 4 * bytes_per_pixel <= byte_count; i += 4 * bytes_per_pixel) {
        u8x16 four;
        memcpy(&four, row + i, sizeof four);
        left = bytes_per_pixel == 4 ? add_left_4(four, left) : add_left_3(four, left);
        memcpy(row + i, &left, 4 * bytes_per_pixel);
    }
    for (i = i > 0 ? i : bytes_per_pixel; i < byte_count; i++) {
        row[i] = (uint8_t)(row[i] + row[i - bytes_per_pixel]);
    }
}

// (a + b + 1) / 2, one instruction where the compiler knows it.
ALWAYS_INLINE u8x16 rounded_average(u8x16 a, u8x16 b) {
    const u16x16 sum = __builtin_convertvector(a, u16x16) + __builtin_convertvector(b, u16x16) + 1;
    return __builtin_convertvector(sum >> 1, u8x16);
}

// The bytes from the n-th on, to the low end; what comes behind them does not count.
#define SHIFTED(vector, n)                                                                                         \
    __builtin_shufflevector(                                                                                       \
        vector, vector, (n) + 0, (n) + 1, (n) + 2, (n) + 3, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1)

// A pixel has to wait for the one to its left, so every instruction between them counts. Processors have an average
// that rounds up; of complements it rounds down: row + (left + up) / 2 = ~(average(~left, ~up) - row).
#define NEXT_AVERAGE(left, row, up, n) (rounded_average(left, SHIFTED(up, n)) - SHIFTED(row, n))

// Four pixels are loaded and stored together, which leaves half of the instructions.
ALWAYS_INLINE void average_pixels(uint8_t *row, const uint8_t *previous, size_t byte_count, size_t bytes_per_pixel) {
    u8x16 left = 0xFF;
    size_t i = 0;
    for (; i + 4 * bytes_per_pixel <= byte_count; i += 4 * bytes_per_pixel) {
        u8x16 samples, up;
        memcpy(&samples, row + i, sizeof samples);
        memcpy(&up, previous + i, sizeof up);
        up = ~up;
        u8x16 first, second, third;
        if (bytes_per_pixel == 4) {
            first = NEXT_AVERAGE(left, samples, up, 0);
            second = NEXT_AVERAGE(first, samples, up, 4);
            third = NEXT_AVERAGE(second, samples, up, 8);
            left = NEXT_AVERAGE(third, samples, up, 12);
        } else {
            first = NEXT_AVERAGE(left, samples, up, 0);
            second = NEXT_AVERAGE(first, samples, up, 3);
            third = NEXT_AVERAGE(second, samples, up, 6);
            left = NEXT_AVERAGE(third, samples, up, 9);
        }
        const u32x4 low = __builtin_shufflevector((u32x4)first, (u32x4)second, 0, 4, -1, -1);
        const u32x4 high = __builtin_shufflevector((u32x4)third, (u32x4)left, 0, 4, -1, -1);
        const u8x16 four = ~(u8x16)__builtin_shufflevector(low, high, 0, 1, 4, 5);
        if (bytes_per_pixel == 4) {
            memcpy(row + i, &four, sizeof four);
        } else {
            const u32x4 packed = (u32x4)__builtin_shufflevector(
                four, four, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
            memcpy(row + i, &packed, 12);
        }
    }
    for (; i < byte_count; i += bytes_per_pixel) {
        left = NEXT_AVERAGE(left, load_pixel(row + i), ~load_pixel(previous + i), 0);
        store_pixel(row + i, low_word(~left), bytes_per_pixel);
    }
}

HALCYON_CLONES
void halcyon_png_unfilter_sub(uint8_t *row, size_t byte_count, size_t bytes_per_pixel) {
    if (bytes_per_pixel == 4) {
        sub_pixels(row, byte_count, 4);
    } else if (bytes_per_pixel == 3) {
        sub_pixels(row, byte_count, 3);
    } else {
        for (size_t i = bytes_per_pixel; i < byte_count; i++) {
            row[i] = (uint8_t)(row[i] + row[i - bytes_per_pixel]);
        }
    }
}

HALCYON_CLONES
void halcyon_png_unfilter_up(uint8_t *restrict row, const uint8_t *restrict previous, size_t byte_count) {
    for (size_t i = 0; i < byte_count; i++) {
        row[i] = (uint8_t)(row[i] + previous[i]);
    }
}

HALCYON_CLONES
void halcyon_png_unfilter_average(
    uint8_t *row, const uint8_t *previous, size_t byte_count, size_t bytes_per_pixel) {
    if (bytes_per_pixel == 4) {
        average_pixels(row, previous, byte_count, 4);
    } else if (bytes_per_pixel == 3) {
        average_pixels(row, previous, byte_count, 3);
    } else {
        for (size_t i = 0; i < byte_count; i++) {
            unsigned left = i < bytes_per_pixel ? 0 : row[i - bytes_per_pixel];
            row[i] = (uint8_t)(row[i] + ((left + previous[i]) >> 1));
        }
    }
}
