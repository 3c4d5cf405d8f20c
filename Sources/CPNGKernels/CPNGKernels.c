#include "CPNGKernels.h"

#include <ProcessorClones.h>
#include <string.h>

typedef uint8_t u8x8 __attribute__((ext_vector_type(8)));
typedef uint8_t u8x16 __attribute__((ext_vector_type(16)));
typedef uint16_t u16x16 __attribute__((ext_vector_type(16)));
typedef int16_t i16x8 __attribute__((ext_vector_type(8)));
typedef uint32_t u32x2 __attribute__((ext_vector_type(2)));
typedef uint32_t u32x4 __attribute__((ext_vector_type(4)));

ALWAYS_INLINE uint32_t load_u32(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}

ALWAYS_INLINE void store_pixel(uint8_t *bytes, uint32_t value, size_t bytes_per_pixel) {
    if (bytes_per_pixel == 4) {
        memcpy(bytes, &value, 4);
    } else {
        memcpy(bytes, &value, 2);
        bytes[2] = (uint8_t)(value >> 16);
    }
}

// MARK: Sub and average

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

// MARK: Paeth

ALWAYS_INLINE uint8_t paeth_byte(int left, int up, int corner) {
    int by_left = up - corner, by_up = left - corner, by_corner = by_left + by_up;
    by_left = by_left < 0 ? -by_left : by_left;
    by_up = by_up < 0 ? -by_up : by_up;
    by_corner = by_corner < 0 ? -by_corner : by_corner;
    if (by_left <= by_up && by_left <= by_corner) {
        return (uint8_t)left;
    }
    return (uint8_t)(by_up <= by_corner ? up : corner);
}

ALWAYS_INLINE i16x8 paeth_lanes(i16x8 left, i16x8 up, i16x8 corner) {
    i16x8 by_left = up - corner, by_up = left - corner, by_corner = by_left + by_up;
    by_left = __builtin_elementwise_max(by_left, -by_left);
    by_up = __builtin_elementwise_max(by_up, -by_up);
    by_corner = __builtin_elementwise_max(by_corner, -by_corner);
    i16x8 least = __builtin_elementwise_min(by_corner, __builtin_elementwise_min(by_left, by_up));
    i16x8 takes_left = by_left == least, takes_up = by_up == least;
    return (takes_left & left) | (~takes_left & ((takes_up & up) | (~takes_up & corner)));
}

/// Widens a pixel of each of two rows into the low and the high half.
ALWAYS_INLINE i16x8 load_pair(const uint8_t *low, const uint8_t *high) {
    u32x4 words = {load_u32(low), load_u32(high), 0, 0};
    u8x16 bytes = (u8x16)words;
    return __builtin_convertvector(__builtin_shufflevector(bytes, bytes, 0, 1, 2, 3, 4, 5, 6, 7), i16x8);
}

ALWAYS_INLINE i16x8 load_low(const uint8_t *low) {
    u32x4 words = {load_u32(low), 0, 0, 0};
    u8x16 bytes = (u8x16)words;
    return __builtin_convertvector(__builtin_shufflevector(bytes, bytes, 0, 1, 2, 3, 4, 5, 6, 7), i16x8);
}

/// The low half of one value below the low half of another.
ALWAYS_INLINE i16x8 join_low(i16x8 low, i16x8 high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11);
}

ALWAYS_INLINE u32x2 narrow(i16x8 lanes) {
    return (u32x2)__builtin_convertvector(lanes, u8x8);
}

ALWAYS_INLINE void paeth_pixels(uint8_t *row, const uint8_t *previous, size_t byte_count, size_t bytes_per_pixel) {
    i16x8 left = 0, corner = 0;
    for (size_t i = 0; i < byte_count; i += bytes_per_pixel) {
        i16x8 up = load_low(previous + i);
        left = (load_low(row + i) + paeth_lanes(left, up, corner)) & 0xFF;
        corner = up;
        store_pixel(row + i, narrow(left)[0], bytes_per_pixel);
    }
}

void halcyon_png_unfilter_paeth(
    uint8_t *row, const uint8_t *previous, size_t byte_count, size_t bytes_per_pixel) {
    if (bytes_per_pixel == 4) {
        paeth_pixels(row, previous, byte_count, 4);
    } else if (bytes_per_pixel == 3) {
        paeth_pixels(row, previous, byte_count, 3);
    } else {
        for (size_t i = 0; i < byte_count; i++) {
            int left = i < bytes_per_pixel ? 0 : row[i - bytes_per_pixel];
            int corner = i < bytes_per_pixel ? 0 : previous[i - bytes_per_pixel];
            row[i] = (uint8_t)(row[i] + paeth_byte(left, previous[i], corner));
        }
    }
}

// A pixel of Paeth has to wait for the one to its left, so its speed is bound by latency, not by work. The second row
// runs one pixel behind the first, in the other half of the same registers: twice the pixels in the same time.
ALWAYS_INLINE void paeth_pair_pixels(
    uint8_t *row, uint8_t *next, const uint8_t *previous, size_t pixel_count, size_t bytes_per_pixel) {
    const i16x8 zero = 0;
    i16x8 corner = join_low(load_low(previous), zero);
    i16x8 left = (load_low(row) + paeth_lanes(zero, corner, zero)) & 0xFF;
    left = join_low(left, zero);
    store_pixel(row, narrow(left)[0], bytes_per_pixel);
    for (size_t x = 1; x < pixel_count; x++) {
        uint8_t *here = row + x * bytes_per_pixel;
        uint8_t *below = next + (x - 1) * bytes_per_pixel;
        // Above the upper pixel is the previous row; above the lower one is what the upper row got one step ago.
        i16x8 up = join_low(load_low(previous + x * bytes_per_pixel), left);
        left = (load_pair(here, below) + paeth_lanes(left, up, corner)) & 0xFF;
        corner = up;
        u32x2 words = narrow(left);
        store_pixel(here, words[0], bytes_per_pixel);
        store_pixel(below, words[1], bytes_per_pixel);
    }
    uint8_t *last = next + (pixel_count - 1) * bytes_per_pixel;
    i16x8 up = join_low(zero, left);
    left = (load_pair(last, last) + paeth_lanes(left, up, corner)) & 0xFF;
    store_pixel(last, narrow(left)[1], bytes_per_pixel);
}

void halcyon_png_unfilter_paeth_pair(
    uint8_t *row, uint8_t *next, const uint8_t *previous, size_t pixel_count, size_t bytes_per_pixel) {
    if (bytes_per_pixel == 4) {
        paeth_pair_pixels(row, next, previous, pixel_count, 4);
    } else {
        paeth_pair_pixels(row, next, previous, pixel_count, 3);
    }
}

// MARK: Filtering

ALWAYS_INLINE uint32_t magnitude(uint8_t value) {
    return value < 128 ? value : 256u - value;
}

HALCYON_CLONES
uint64_t halcyon_png_filter(
    int type, uint8_t *restrict output, const uint8_t *restrict row, const uint8_t *restrict previous,
    size_t byte_count, size_t bytes_per_pixel) {
    size_t head = bytes_per_pixel < byte_count ? bytes_per_pixel : byte_count;
    switch (type) {
    case 1:
        memcpy(output, row, head);
        for (size_t i = head; i < byte_count; i++) {
            output[i] = (uint8_t)(row[i] - row[i - bytes_per_pixel]);
        }
        break;
    case 2:
        for (size_t i = 0; i < byte_count; i++) {
            output[i] = (uint8_t)(row[i] - previous[i]);
        }
        break;
    case 3:
        for (size_t i = 0; i < head; i++) {
            output[i] = (uint8_t)(row[i] - (previous[i] >> 1));
        }
        for (size_t i = head; i < byte_count; i++) {
            output[i] = (uint8_t)(row[i] - ((row[i - bytes_per_pixel] + previous[i]) >> 1));
        }
        break;
    case 4:
        for (size_t i = 0; i < head; i++) {
            output[i] = (uint8_t)(row[i] - previous[i]);
        }
        for (size_t i = head; i < byte_count; i++) {
            output[i] = (uint8_t)(row[i] - paeth_byte(row[i - bytes_per_pixel], previous[i],
                                                      previous[i - bytes_per_pixel]));
        }
        break;
    default:
        memcpy(output, row, byte_count);
        break;
    }
    uint64_t sum = 0;
    size_t i = 0;
    // 32 bits hold the sum of 2^24 bytes, and twice as many lanes fit a register.
    while (i < byte_count) {
        size_t end = byte_count - i > 1 << 24 ? i + (1 << 24) : byte_count;
        uint32_t part = 0;
        for (; i < end; i++) {
            part += magnitude(output[i]);
        }
        sum += part;
    }
    return sum;
}

// MARK: Pixels

void halcyon_png_drop_alpha(uint8_t *restrict output, const uint8_t *restrict row, size_t pixel_count) {
    for (size_t x = 0; x < pixel_count; x++) {
        output[3 * x] = row[4 * x];
        output[3 * x + 1] = row[4 * x + 1];
        output[3 * x + 2] = row[4 * x + 2];
    }
}

void halcyon_png_drop_alpha_16(uint8_t *restrict output, const uint8_t *restrict row, size_t pixel_count) {
    for (size_t x = 0; x < pixel_count; x++) {
        for (size_t channel = 0; channel < 3; channel++) {
            uint16_t sample;
            memcpy(&sample, row + 8 * x + 2 * channel, sizeof sample);
            output[6 * x + 2 * channel] = (uint8_t)(sample >> 8);
            output[6 * x + 2 * channel + 1] = (uint8_t)sample;
        }
    }
}

static uint16_t big_endian_sample(const uint8_t *bytes) { return (uint16_t)(bytes[0] << 8 | bytes[1]); }

bool halcyon_png_expand_16(
    uint8_t *restrict output, const uint8_t *restrict row, size_t pixel_count, size_t channel_count,
    const uint16_t *key) {
    const bool has_colors = channel_count >= 3;
    const bool has_alpha = channel_count == 2 || channel_count == 4;
    uint16_t all = 0xFFFF;
    for (size_t x = 0; x < pixel_count; x++, row += 2 * channel_count) {
        uint16_t pixel[4];
        pixel[0] = big_endian_sample(row);
        pixel[1] = has_colors ? big_endian_sample(row + 2) : pixel[0];
        pixel[2] = has_colors ? big_endian_sample(row + 4) : pixel[0];
        pixel[3] = has_alpha ? big_endian_sample(row + 2 * (channel_count - 1)) : 0xFFFF;
        if (key && pixel[0] == key[0] && (!has_colors || (pixel[1] == key[1] && pixel[2] == key[2]))) {
            memset(pixel, 0, sizeof pixel);
        }
        all &= pixel[3];
        memcpy(output + 8 * x, pixel, sizeof pixel);
    }
    return all == 0xFFFF;
}

// MARK: GIF

void halcyon_gif_expand(
    uint8_t *restrict output, const uint8_t *restrict indices, const uint32_t *restrict table, size_t pixel_count) {
    size_t x = 0;
    // Eight indices at a time: one load instead of eight.
    for (; x + 8 <= pixel_count; x += 8) {
        uint64_t eight;
        memcpy(&eight, indices + x, 8);
        uint32_t pixels[8];
        for (int i = 0; i < 8; i++) {
            pixels[i] = table[eight & 0xFF];
            eight >>= 8;
        }
        memcpy(output + 4 * x, pixels, 32);
    }
    for (; x < pixel_count; x++) {
        memcpy(output + 4 * x, table + indices[x], 4);
    }
}

void halcyon_gif_draw(
    uint8_t *restrict output, const uint8_t *restrict indices, const uint32_t *restrict table, size_t pixel_count) {
    for (size_t x = 0; x < pixel_count; x++) {
        // Without a branch, because where a dithered image is transparent cannot be predicted.
        uint32_t below, above = table[indices[x]];
        memcpy(&below, output + 4 * x, 4);
        above |= above == 0 ? below : 0;
        memcpy(output + 4 * x, &above, 4);
    }
}
